"""What joins the engine at its seams: call sites, hooks, hooks on saved tensors, tangents, and what is rarely switched on."""
