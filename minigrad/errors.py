"""Every message a user of the engine can meet, worded as PyTorch 2.13 words it, and the notes that explain it.

PyTorch's text is kept to the letter, with ``minigrad`` for ``torch``, because people search for it. What PyTorch leaves
unsaid stands in notes (PEP 678): they are printed below the message and are no part of ``str(error)``.
"""

from __future__ import annotations

# -- backward and grad -----------------------------------------------------------------------------------------------
NO_GRAPH = "element {} of tensors does not require grad and does not have a grad_fn"
SCALAR_ONLY = "grad can be implicitly created only for scalar outputs"
REAL_ONLY = "grad can be implicitly created only for real scalar outputs but got {}"
FLOAT_ONLY = "grad can be implicitly created only for floating point outputs but got {}"
GRADIENT_SHAPE = (
    "Mismatch in shape: grad_output[{}] has a shape of minigrad.Size({}) and output[{}] has a shape of minigrad.Size({})."
)
GRADIENT_DTYPE = (
    "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
    "grad_output[{}] has a dtype of {} and output[{}] has a dtype of {}."
)
GRADIENT_TYPE = "gradients can be either Tensors or None, but got {}"
COUNT = "got {} tensors and {} gradients"
NO_INPUTS = "`inputs` argument to `{}()` cannot be empty."
INPUT_TYPE = "all inputs have to be Tensors or GradientEdges, but got {}"
ROOT_TYPE = "Expected output to be a minigrad.Tensor"
GRAD_VARIABLES = "`grad_variables` is deprecated. Use `grad_tensors` instead."
GRAD_VARIABLES_TWICE = (
    "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only use `grad_tensors`."
)
ONLY_INPUTS = (
    "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts of "
    "the graph, please use minigrad.autograd.backward."
)
MATERIALIZE = "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
BATCHED_SHAPE = (
    "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The sizes "
    "of the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was detected: "
    "grad_output[{}] has a shape of {} and output[{}] has a shape of {}. If you only want some tensors in "
    "`grad_output` to be considered batched, consider using vmap."
)
INPUT_NO_GRAD = "One of the differentiated Tensors does not require grad"
INPUT_UNUSED = (
    "The differentiated Tensor at index {} appears to not have been used in the graph. "
    "Set allow_unused=True if this is the desired behavior."
)
FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)
MODIFIED = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[{}]{} is at version {}; expected version {} instead. Hint: enable anomaly detection to find the operation that "
    "failed to compute its gradient, with minigrad.autograd.set_detect_anomaly(True, check_nan=False)."
)
WRONG_GRADIENT = "Function {} returned an invalid gradient at index {} - got {} but expected shape compatible with {}"
CREATE_GRAPH_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient which "
    "can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you have to use "
    "this function, make sure to reset the .grad fields of your parameters to None after use to break the cycle and "
    "avoid the leak."
)
HOOK_SIZE = "hook '{}' has changed the size of value"
HOOK_TYPE = "hook '{}' has changed the type of value (was {} got {})"

# -- leaves, requires_grad, .grad ------------------------------------------------------------------------------------
NONLEAF_FLAG = "you can only change requires_grad flags of leaf variables.{}"
NONLEAF_DETACH = (
    " If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = "
    "var.detach()."
)
FLOATS_ONLY_NEW = "Only Tensors of floating point and complex dtype can require gradients"
FLOATS_ONLY_FLAG = "only Tensors of floating point and complex dtype can require gradients"
FLOATS_ONLY_METHOD = "only Tensors of floating point dtype can require gradients"
NONLEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be populated "
    "during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, use "
    ".retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the leaf "
    "Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)
GRAD_TYPE = "assigned grad expected to be a Tensor or None but got grad of type {}"
GRAD_SELF = "can't assign Variable as its own grad"
GRAD_SHAPE = (
    "attempting to assign a gradient of size '{}' to a tensor of size '{}'. Please ensure that the gradient and the "
    "tensor are the same size"
)
GRAD_DTYPE = (
    "attempting to assign a gradient with dtype '{}' to a tensor with grad_dtype '{}'. The gradient must match the "
    "tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific "
    "dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient "
    "may break downstream systems that assume they match."
)
HOOK_NO_GRAD = "cannot register a hook on a tensor that doesn't require gradient"
RETAIN_NO_GRAD = "can't retain_grad on Tensor that has requires_grad=False"
DEEPCOPY = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you were "
    "attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
    "https://github.com/pytorch/pytorch/pull/103001"
)
NUMPY_GRAD = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."

# -- in place and views ----------------------------------------------------------------------------------------------
LEAF_INPLACE = "a leaf Variable that requires grad is being used in an in-place operation."
LEAF_VIEW_INPLACE = "a view of a leaf Variable that requires grad is being used in an in-place operation."
MULTI_VIEW = (
    " This view is the output of a function that returns multiple views. Such functions do not allow the output views to "
    "be modified inplace. You should replace the inplace operation by an out-of-place one."
)
NO_GRAD_VIEW = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) or both "
    "outside (if you want the inplace to be tracked)."
)
PARTIAL_OVERLAP = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation."
)
OVERLAP = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)
RESULT_CAST = "result type {} can't be cast to the desired output type {}"
OUTPUT_SHAPE = "output with shape {} doesn't match the broadcast shape {}"
DETACH_VIEW = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, and "
    "gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be called on "
    "these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py "
    "as the solution."
)

# -- shapes, indices, types ------------------------------------------------------------------------------------------
ARGUMENT = "{}(): argument '{}' (position {}) must be {}, not {}"
BROADCAST = "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}"
DIM_RANGE = "Dimension out of range (expected to be in range of [{}, {}], but got {})"
DIM_REPEAT = "dim {} appears multiple times in the list of dims"
INDEX_RANGE = "index {} is out of bounds for dimension {} with size {}"
TOO_MANY_INDICES = "too many indices for tensor of dimension {}"
INDEX_ZERO_DIM = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim "
    "tensor to a number"
)
INDEX_TYPE = "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {})"
INDEX_MASK = "The shape of the mask {} at index {} does not match the shape of the indexed tensor {} at index {}"
INDEX_SHAPES = "shape mismatch: indexing tensors could not be broadcast together with shapes {}"
SLICE_STEP = "step must be greater than zero"
BOOL_MINUS = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead."
)
BOOL_NEG = (
    "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
    "`logical_not()` operator instead."
)
T_RANK = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
    "error in a future release. Consider `x.mT` to transpose batches of matrices or "
    "`x.permute(*minigrad.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
)
VIEW_SIZE = "shape '{}' is invalid for input of size {}"
VIEW_STRIDE = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous "
    "subspaces). Use .reshape(...) instead."
)
ONE_INFERRED = "only one dimension can be inferred"
EXPAND_SIZE = (
    "The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton dimension {}.  Target "
    "sizes: {}.  Tensor sizes: {}"
)
EXPAND_RANK = (
    "expand(minigrad.{}{{{}}}, size={}): the number of sizes provided ({}) must be greater or equal to the number of "
    "dimensions in the tensor ({})"
)
COMBINATION = "{}() received an invalid combination of arguments - got ({}), but expected one of:\n{}"
ROUNDING_MODE = "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'"
COMPLEX_KINDS = "Expected object of scalar type {} but got scalar type {} for second argument"
COMPLEX_FLOATS = "Expected both inputs to be Half, Float or Double tensors but got {} and {}"
TO_SCALAR = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\nConsider using "
    "tensor.detach() first."
)
ITEM = "a Tensor with {} elements cannot be converted to Scalar"
NUMBER = "only one element tensors can be converted to Python scalars"
INTEGER = "only integer tensors of a single element can be converted to an index"
TRUTH = "Boolean value of Tensor with {} is ambiguous"
LEN_0D = "len() of a 0-d tensor"
ITER_0D = "iteration over a 0-d tensor"
RAGGED = "expected sequence of length {} at dim {} (got {})"
NEW_TYPE = "new(): invalid data type '{}'"
CONTENT_TYPE = "Could not infer dtype of {}"


def kind_of(value: object) -> str:
    """The type of a value as PyTorch names it: NumPy's types with their module, others without."""
    kind = type(value)
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


class MinigradNote(str):
    """A note of ours, so that a display can tell it from somebody else's."""


def note(error: BaseException, *notes: str | None) -> BaseException:
    """The error with notes below its message; empty ones are dropped."""
    for text in notes:
        if text:
            error.add_note(MinigradNote(text))
    return error
