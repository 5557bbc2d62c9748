"""What the engine says when it stands alone. Around it stand PyTorch's words, see ``seams.error``: a new
name here needs a sentence in ``messages.toml`` too, PyTorch's to the letter; what we add to it stands under [notes].
Those in ``_SPECIAL`` of compat/complaints.py have a function there, which takes the same values; FREED is raised in
tape.py, views.py and autograd/function.py."""

SENTENCES = {
    "FREED": "The saved tensors of this graph were freed by an earlier backward pass: give that one retain_graph=True.",
    "MODIFIED": "A saved tensor was overwritten: it is at version {}, and backward needs version {}.",
    "SAVED_DETACHED": "A saved tensor lost its history to detach_(): use detach().",
    "NO_GRAPH": "Element {} of the tensors has no graph: no input of it requires grad.",
    "SCALAR_ONLY": "A tensor of several elements needs a gradient to start from.",
    "WRONG_GRADIENT": "Gradient {} has shape {}, which does not fit {}.",
    "INPUT_UNUSED": "No path leads from the outputs to input {}.",
    "INTERIOR": "A leaf has become a result since the graph was made.",
    "LEAF_INPLACE": "A leaf that requires grad must not be written to while the write is recorded.",
    "LEAF_VIEW_INPLACE": "A view of a leaf that requires grad must not be written to while the write is recorded.",
    "VIEW_WRITE": "A view that has no true history ({}) must not be written to.",
    "OVERLAP": "Several elements of the tensor that is written to are one in memory.",
    "OUTPUT_SHAPE": "A result of shape {1} does not fit into a tensor of shape {0}.",
    "DIM_RANGE": "A dimension must be from {} to {}, and {} is not.",
    "NOT_FLOAT": "Only tensors of floating point or complex dtype can require grad.",
    "NOT_LEAF": "Only of a leaf can requires_grad be cleared.",
}
