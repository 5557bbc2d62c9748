"""Every message a user of the engine can meet, worded as PyTorch 2.13 words it, and the notes that explain it.

PyTorch's text is kept to the letter, with ``minigrad`` for ``torch``, because people search for it. What PyTorch leaves
unsaid stands in notes (PEP 678): they are printed below the message and are no part of ``str(error)``.
"""

from __future__ import annotations

import functools
import re

# -- backward and grad -----------------------------------------------------------------------------------------------
NO_GRAPH = "element {} of tensors does not require grad and does not have a grad_fn"
SCALAR_ONLY = "grad can be implicitly created only for scalar outputs"
REAL_ONLY = "grad can be implicitly created only for real scalar outputs but got {}"
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
INPUT_MAPPING = "`inputs` argument to `{}()` must be a dict, not {}. Other Mapping types are not supported."
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
BATCHED_SIZES = (
    "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {} for the mapped dimension"
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
    "[{}]{} is at version {}; expected version {} instead. Hint: {}"
)
MODIFIED_HINT = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "minigrad.autograd.set_detect_anomaly(True, check_nan=False)."
)
MODIFIED_HINT_ANOMALY = (
    "the backtrace further above shows the operation that failed to compute its gradient. The variable in question was "
    "changed in there or anywhere later. Good luck!"
)
WRONG_GRADIENT = "invalid gradient at index {} - got {} but expected shape compatible with {}"
CREATE_GRAPH_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient which "
    "can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you have to use "
    "this function, make sure to reset the .grad fields of your parameters to None after use to break the cycle and "
    "avoid the leak."
)
NOT_DIFFERENTIABLE = "derivative for aten::{} is not implemented"
MATERIALIZE_EDGE = "materialize_grads cannot be used when the given input is a GradientEdge"
HOOK_VALUE = "expected Variable, but hook returned '{}'"
HOOK_TUPLE = "expected tuple, but hook returned '{}'"
HOOK_COUNT = "hook '{}' has returned an incorrect number of values (got {}, but expected {})"
HOOK_NONE = "can't replace a None gradient with a non-None value"
HOOK_POST_LEAF = "post accumulate grad hooks cannot be registered on non-leaf tensors"
HOOK_POST = "Tensor post accumulate grad hooks should return None."
HOOK_SIZE = "hook '{}' has changed the size of value"
HOOK_TYPE = "hook '{}' has changed the type of value (was {} got {})"


# -- modes -----------------------------------------------------------------------------------------------------------
DECORATED_CLASS = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or methods. "
    "To preserve the current behavior of class decoration, you can directly decorate the `__init__` method and nothing else."
)
ANOMALY = "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
ANOMALY_NAN = "Function '{}' returned nan values in its {}th output."
ANOMALY_TRACE = "Error detected in {}. Traceback of forward call that caused the error:\n{}"
ANOMALY_NO_TRACE = (
    "Error detected in {}. No forward pass information available. Enable detect anomaly during forward pass for more "
    "information."
)
ANOMALY_PARENT = (
    "\n\nPrevious calculation was induced by {}. Traceback of forward call that induced the previous calculation:\n{}"
)
INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation "
    "tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use "
    "`minigrad.no_grad()` instead of `minigrad.inference_mode()`."
)
INFERENCE_WRITE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal tensor "
    "before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)
INFERENCE_VERSION = "Inference tensors do not track version counter."
INFERENCE_FLAG = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."

# -- hooks on saved tensors ------------------------------------------------------------------------------------------
SAVED_DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please use "
    "out-of-place `.detach()` instead"
)
PACK_WRITES = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be modified "
    "by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to perform "
    "in-place operations on the input to a pack hook."
)
UNPACK_TYPE = "Output of saved tensor unpack_hook expected to be a Tensor but got result of type {}"
MUTATION_OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph was originally recorded."
)
MUTATION_NESTED = "allow_mutation_on_saved_tensors contexts cannot be nested"
NO_EDGE = "It is not possible to get the gradient edge for a Tensor that does not require gradients"
INCREMENT = "increment_version expect a Iterable[Tensor] as input"
INCREMENT_EACH = "increment_version expects each element of the iterable to be a tensor"
MULTI_NO_GRAD = "Expected gradient function to be set"
WILL_RUN_LEAF = (
    "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is currently "
    "not supported."
)
MULTI_MODE = "Expects mode to be one of {} but got {}"

# -- leaves, requires_grad, .grad ------------------------------------------------------------------------------------
NONLEAF_FLAG = "you can only change requires_grad flags of leaf variables.{}"
NONLEAF_DETACH = (
    " If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = "
    "var.detach()."
)
FLOATS_ONLY_NEW = "Only Tensors of floating point and complex dtype can require gradients"
FLOATS_ONLY_FLAG = "only Tensors of floating point and complex dtype can require gradients"
FLOATS_ONLY_METHOD = "only Tensors of floating point dtype can require gradients"
FLAG_TYPE = "requires_grad must be a bool"
READ_ONLY = "attribute '{}' of 'minigrad._C.TensorBase' objects is not writable"
DATA_TYPE = "Variable data has to be a tensor, but got {}"
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

# -- custom functions ------------------------------------------------------------------------------------------------
NO_FORWARD = "You must implement the forward function for custom autograd.Function."
NO_BACKWARD = (
    "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward mode AD."
)
NO_JVP = "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
BACKWARD_TWICE_DEFINED = (
    "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one of them."
)
FUNCTION_INSTANCE = (
    "{} should not be instantiated. Methods on autograd functions are all static, so you should invoke them on the class "
    "itself. Instantiating an autograd function will raise an error in a future version of PyTorch."
)
FUNCTION_CALL = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function with "
    "static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
)
GRADIENT_COUNT = "function {} returned an incorrect number of gradients (expected {}, got {})"
GRADIENT_FOR_CONSTANT = (
    "function {} returned a gradient different than None at position {}, but the corresponding forward input was not a "
    "Variable"
)
GRADIENT_VALUE = "expected Variable or None (got {})"
GRADIENT_COMPLEX = (
    "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, but got false.  "
    "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
)
SAVE_TYPE = "save_for_backward can only save variables, but argument {} is of type {}"
SAVE_FORWARD_TYPE = "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes on ctx."
SAVED_AS_IS = (
    "An input that has been returned as-is as output is being saved for backward. This is not supported if you override "
    "setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or setup ctx inside the "
    "forward function itself."
)
MARK_DIRTY = "mark_dirty can only accept variables, but argument "
MARK_NON_DIFFERENTIABLE = "mark_non_differentiable only accepts variable arguments, but got "
LEAF_DIRTY = "a leaf Variable that requires grad has been used in an in-place operation."
DIRTY_NO_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be passed "
    "to ctx.mark_dirty()."
)
DIRTY_NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
    "inplace must all be outputs of the Function."
)
DIRTY_VIEW = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more than one "
    "Tensor. This is not supported by the current autograd engine. You should either make sure the input is not a view "
    "(using .clone() for example) or make your Function only return one Tensor (potentially splitting it into two "
    "Functions: one doing the inplace that returns a single Tensor and a second one that does the other operations). You "
    "can ask on the forum https://discuss.pytorch.org/ if you need help to do this change."
)
ONCE = "trying to differentiate twice a function that was marked with @once_differentiable"

# -- forward mode ----------------------------------------------------------------------------------------------------
NO_LEVEL = "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
NESTED_LEVEL = "Nested forward mode AD is not supported at the moment"
EXIT_LEVEL = "Dual level must be a positive number."
EXIT_OTHER_LEVEL = "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
DUAL_TWICE = (
    "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not supported."
)
PRIMAL_TYPE = "Expected primal to be floating point or complex, but got: {}"
TANGENT_TYPE = "Expected tangent to be floating point or complex, but got: {}"
TANGENT_SHAPE = (
    "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. "
    "Tensor is of size {} while the given forward gradient is of size {}."
)
TANGENT_VALUE = "expected Variable or None (got {}) for grad output {}."
TANGENT_COUNT = "Function's jvp returned an invalid number of forward gradients (expected {} but got {})"
TANGENT_NOT_DIFFERENTIABLE = (
    "Function's jvp returned a gradient at position {}, but  the corresponding forward output is not a differentiable "
    "Tensor.You should return None at that position instead."
)
TANGENT_NOT_WRITTEN = (
    "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying an input "
    "inplace, then the jvp function must modify the corresponding gradient inplace."
)
TANGENT_NOT_RETURNED = (
    "An inplace custom Function is not returning the forward mode gradients as-is. If the forward is modifying an input "
    "inplace, then the jvp function must modify the gradient inplace and return it as-is."
)

# -- functional ------------------------------------------------------------------------------------------------------
FUNCTIONAL_TYPE = "The {} given to {} must be either a Tensor or a tuple of Tensors but the {} has type {}."
V_COUNT = "v is a tuple of invalid length: should be {} but got {}."
V_SINGLE = "The given v should contain a single Tensor."
V_SIZE = "{}v has invalid size: should be {} but got {}."
V_MISSING_OUTPUT = (
    "The vector v can only be None if the user-provided function returns a single Tensor with a single element."
)
V_MISSING_INPUT = (
    "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element."
)
SINGLE_TENSOR = "The function given to {} should return a single Tensor"
SINGLE_ELEMENT = "The Tensor returned by the function given to {} should contain a single element"
STRATEGY = (
    'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs than inputs, '
    '"forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
)
OUTER_STRATEGY = 'Expected strategy to be either "forward-mode" or "reverse-mode".'
FORWARD_VECTORIZE = (
    "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for `vectorize=True`."
)
FORWARD_CREATE_GRAPH = (
    'minigrad.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are not supported together '
    '(yet). Please either set `create_graph=False` or `strategy="reverse-mode"`.'
)
FORWARD_STRICT = (
    'minigrad.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not supported together (yet). '
    'Please either set `strict=False` or `strategy="reverse-mode"`.'
)
VECTORIZE_STRICT = (
    "minigrad.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. Please either "
    "set `strict=False` or `vectorize=False`."
)
STRICT_OUTPUT = (
    "Output {} of the user-provided function does not require gradients. The outputs must be computed in a differentiable "
    "manner from the input when running in strict mode."
)
STRICT_OUTPUT_INDEPENDENT = (
    "Output {} of the user-provided function is independent of input {}. This is not allowed in strict mode."
)
STRICT_INDEPENDENT = (
    "The output of the user-provided function is independent of input {}. This is not allowed in strict mode."
)
STRICT_GRAD_INPUT = (
    "The gradient with respect to input {} is independent of the inputs of the user-provided function. This is not allowed "
    "in strict mode."
)
STRICT_JACOBIAN = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to input {} is "
    "independent of the input. This is not allowed in strict mode. You should ensure that your function is twice "
    "differentiable and that the jacobian depends on the inputs (this would be violated by a linear function for example)."
)
STRICT_FLAT = (
    "The jacobian of the user-provided function is independent of input {}. This is not allowed in strict mode when "
    "create_graph=True."
)
STRICT_HESSIAN_FLAT = (
    "The hessian of the user-provided function is independent of input {}. This is not allowed in strict mode when "
    "create_graph=True."
)
STRICT_TRICK = (
    "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the double backward "
    "trick to compute forward mode gradients. This is not allowed in strict mode."
)
STRICT_DOUBLE = "The jacobian of the user-provided function is independent of input {}. This is not allowed in strict mode."
STRICT_DOUBLE_TRICK = (
    "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. This is not allowed in "
    "strict mode as it prevents from using the double backward trick to replace forward mode AD."
)

# -- in place and views ----------------------------------------------------------------------------------------------
LEAF_INPLACE = "a leaf Variable that requires grad is being used in an in-place operation."
LEAF_VIEW_INPLACE = "a view of a leaf Variable that requires grad is being used in an in-place operation."
MULTI_VIEW = (
    " This view is the output of a function that returns multiple views. Such functions do not allow the output views to "
    "be modified inplace. You should replace the inplace operation by an out-of-place one."
)
MODE_VIEW = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the {} block (if you don't want the inplace to be tracked) or both "
    "outside (if you want the inplace to be tracked)."
)
FUNCTION_VIEW = (
    " This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to "
    "handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
    "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
)
EXPANDED_WRITE = (
    "Use of {} on expanded tensors is deprecated. Please clone() the tensor before performing this operation. This also "
    "applies to advanced indexing e.g. tensor[{}] = {}"
)
PARTIAL_OVERLAP = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation."
)
OVERLAP = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)
INTEGER_RESULT = "Autograd not support dtype: {}"
RESULT_CAST = "result type {} can't be cast to the desired output type {}"
OUTPUT_SHAPE = "output with shape {} doesn't match the broadcast shape {}"
INTERIOR = "leaf variable has been moved into the graph interior"
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
BOOL_MINUS_ONE = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
    "`logical_not()` operator instead."
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
TRANSPOSED_0D = "Tensor.{} is deprecated on 0-D tensors. This function is the identity in these cases."
VIEW_SIZE = "shape '{}' is invalid for input of size {}"
VIEW_AMBIGUOUS = (
    "cannot reshape tensor of 0 elements into shape {} because the unspecified dimension size -1 can be any value and is ambiguous"
)
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
    "expand({}{{{}}}, size={}): the number of sizes provided ({}) must be greater or equal to the number of "
    "dimensions in the tensor ({})"
)
COMBINATION = "{}() received an invalid combination of arguments - got ({}), but expected one of:\n{}"
ROUNDING_MODE = "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'"
COMPLEX_KINDS = "Expected object of scalar type {} but got scalar type {} for second argument"
COMPLEX_FLOATS = "Expected both inputs to be Half, Float or Double tensors but got {} and {}"
ELEMENT = "expected Tensor as element {} in argument {}, but got {}"
MOVEDIM = (
    "movedim: Invalid source or destination dims: source ({} dims) should contain the same number of dims as destination "
    "({} dims)"
)
INDEX_SEQUENCE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[minigrad.tensor(seq)], which "
    "will result either in an error or a different result"
)
INDEX_BYTES = "indexing with dtype minigrad.uint8 is now deprecated, please use a dtype minigrad.bool instead."
MASKED_FILL = "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s)."
GATHER_SIZE = "Size does not match at dimension {} expected index {} to be no larger than self {} apart from dimension {}"
SCATTER_SIZE = "Expected index {} to be no larger than self {} apart from dimension {} and to be no larger size than src {}"
TAKE_RANK = (
    "minigrad.take_along_dim(): input and indices should have the same number of dimensions, but got {} dimensions for "
    "input, and {} dimensions for indices"
)
MATMUL = "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})"
VECTOR_KINDS = "addmv input tensors must have the same dtype, but got {0}, {1}, and {0}"
MATRIX_KINDS = "expected m1 and m2 to have the same dtype, but got: {} != {}"
EINSUM_NOTHING = (
    "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts list"
)
EINSUM_SUBSCRIPT = "einsum(): invalid subscript given at index {} in the equation string, subscripts must be in [a-zA-Z]"
EINSUM_MORE = (
    "einsum(): the number of subscripts in the equation ({}) is more than the number of dimensions ({}) for operand {}"
)
EINSUM_RANK = (
    "einsum(): the number of subscripts in the equation ({}) does not match the number of dimensions ({}) for operand {} "
    "and no ellipsis was given"
)
EINSUM_DIAGONAL = "einsum(): subscript {} is repeated for operand {} but the sizes don't match, {} != {}"
EINSUM_SIZE = "einsum(): subscript {} has size {} for operand {} which does not broadcast with previously seen size {}"
SINGULAR_INV = (
    "linalg.inv: {}The diagonal element {} is zero, the inversion could not be completed because the input matrix is "
    "singular."
)
SINGULAR_SOLVE = "minigrad.linalg.solve: {}The solver failed because the input matrix is singular."
SOLVE_KINDS = "linalg.solve: Expected A and B to have the same dtype, but found A of type {} and B of type {} instead"
SOLVE_SHAPES = "linalg.solve: Incompatible shapes of A and B for the equation AX = B ({}x{} and {}x{})"
IMPLICIT_DIM = "Implicit dimension choice for {} has been deprecated. Change the call to include dim=X as an argument."
CONV_PAIR = (
    "expected {} to be a single integer value or a list of 2 values to match the convolution dimensions, but got {}={}"
)
CONV_GROUPS = "Given groups={}, expected weight to be divisible by {} at dimension 0, but got weight of size [{}] instead"
CONV_CHANNELS = "Given {}, weight of size {}, expected input{} to have {} channels, but got {} channels instead"
CONV_BIAS = "Given {} of size {}, expected bias to be 1-dimensional with {} elements, but got bias of size {} instead"
CONV_BIAS_KIND = "Input type ({}) and bias type ({}) should be the same"
CONV_KERNEL = (
    "Calculated padded input size per channel: ({} x {}). Kernel size: ({} x {}). Kernel size can't be greater than "
    "actual input size"
)
CONV_SMALL = (
    "Given input size per channel: ({} x {}). Calculated output size per channel: ({} x {}). Output size is too small"
)
CONV_OUTPUT_PADDING = (
    "output padding must be smaller than either stride or dilation, but got output_padding_height: {} "
    "output_padding_width: {} stride_height: {} stride_width: {} dilation_height: {} dilation_width: {}"
)
POOL_PAD = "pad should be at most half of effective kernel size, but got pad={}, kernel_size={} and dilation={}"
POOL_SMALL = "Given input size: ({}x{}x{}). Calculated output size: ({}x{}x{}). Output size is too small"
PAD_LENGTH = (
    "Padding length should be less than or equal to two times the input dimension but got padding length {} and input of "
    "dimension {}"
)
MSE_SIZE = (
    "Using a target size ({}) that is different to the input size ({}). This will likely lead to incorrect results due to "
    "broadcasting. Please ensure they have the same size."
)
NLL_WEIGHT = "weight tensor should be defined either for all {} classes or no classes but got weight tensor of shape: {}"
BCE_WEIGHT = (
    "The function 'binary_cross_entropy_with_logits' is not differentiable with respect to argument '{}'. This input "
    "cannot have requires_grad True."
)
OPTIM_EMPTY = "optimizer got an empty parameter list"
OPTIM_LEAF = "can't optimize a non-leaf Tensor"
OPTIM_TWICE = (
    "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; see "
    "github.com/pytorch/pytorch/issues/40967 for more information"
)
OPTIM_PARAMS = "params argument given to the optimizer should be an iterable of Tensors or dicts, but got {}"
PAD_SIZE = (
    "The input size {}, plus negative padding {} and {} resulted in a negative output size, which is invalid. Check "
    "dimension {} of your input."
)
ELEMENT_TYPE = "{}(): argument '{}'{} must be {}, but found element of type {} at pos 0"
UNPACK = "{}(): argument '{}' failed to unpack the object at pos {} with error \"type must be tuple of ints,but got {}\""
OVERFLOW = "value cannot be converted to type {} without overflow"
LONG_LONG = "Overflow when unpacking long long"
WHERE_CONDITION = "where expected condition to be a boolean tensor, but got a tensor with dtype {}"
WHERE_BYTES = (
    "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of "
    "PyTorch. Use a boolean condition instead."
)
CASTS_COMPLEX = "Casting complex values to real discards the imaginary part"
DEVICES = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, "
    "privateuseone"
)
DEVICE = f"Expected one of {DEVICES} device type at start of device string: {{}}"
FREEDOM = (
    "{}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel divided by "
    "output numel)."
)
EMPTY_ALL = (
    "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument."
)
NO_DIMENSIONS = "Dimension specified as {} but tensor has no dimensions"
COMPLEX_RESULT = "{} does not support automatic differentiation for outputs with complex dtype."
EMPTY_DIM = "{}(): Expected reduction dim {} to have non-zero size."
NORM_EMPTY = (
    "linalg.vector_norm cannot compute the inf norm on an empty tensor because the operation does not have an identity"
)
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
NO_BFLOAT16 = "minigrad has no bfloat16, because NumPy has no such numbers. Use float16, float32 or float64."
UNIFORM_RANGE = "uniform_ expects to return a [from, to) range, but found from={} > to={}"
NORMAL_STD = "normal expects std >= 0.0, but found std {}"
NEGATIVE_SIZE = "Trying to create tensor with negative dimension {}: {}"
NEW_TYPE = "new(): invalid data type '{}'"
COPY_TENSOR = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than {}(sourceTensor)."
)
OLDER_FORM = "This overload of {0} is deprecated:\n\t{0}{1}\nConsider using one of the following signatures instead:\n\t{0}{2}"
DATA_INTEGERS = "data set to a tensor that requires gradients must be floating point or complex dtype"
CONTENT_TYPE = "Could not infer dtype of {}"


def kind_of(value: object) -> str:
    """The type of a value as PyTorch names it: NumPy's types with their module, others without."""
    kind = type(value)
    if kind.__module__ == "numpy" or kind.__name__ in ("Size", "dtype", "device"):
        return f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
    return kind.__name__


def lacks(what: str) -> NotImplementedError:
    """The error for what PyTorch has and minigrad does not."""
    return NotImplementedError(f"minigrad has no {what}")


def missing(place: str, name: str) -> AttributeError:
    """The error for a name that a module of the package does not have."""
    error = AttributeError(f"module '{place}' has no attribute '{name}'", name=name)
    error.add_note(MinigradNote("docs/scope.md lists what is there, and what is not."))
    return error


def refuse(function: str, **options: object) -> None:
    """Raise for options that PyTorch has and minigrad does not, unless they were left off."""
    for name, value in options.items():
        if value is not None and (bool(value) or name in ("size_average", "reduce")):
            raise lacks(f"option {name!r} of {function}()")


# -- gradcheck -------------------------------------------------------------------------------------------------------
CHECK_NEITHER = "Expected at least one of check_forward_ad or check_backward_ad to be True"
CHECK_BATCHED_NEEDS = "Setting check_batched_grad=True requires check_backward_ad to be True"
CHECK_BATCHED_FORWARD_NEEDS = "Setting check_batched_forward_grad=True requires check_forward_ad to be True"
CHECK_SECOND_NEITHER = "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True"
CHECK_SECOND_NEEDS = "Setting {}=True requires check_rev_over_rev to be True"
CHECK_NO_INPUT = "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
CHECK_PRECISION = (
    "Input #{} requires gradient and is not a double precision floating point or complex. This check will likely fail if "
    "all the inputs are not of double precision floating point or complex. "
)
CHECK_OVERLAP = (
    "The {}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to be able to "
    "compute the numerical gradients correctly. You should call .contiguous on the input before passing it to gradcheck."
)
CHECK_UNSTABLE = (
    "Expected `func` to return outputs with the same {0} when inputs are perturbed {1}by {2}, but got: {0}s {3} and {4}."
)
CHECK_MISMATCH = "Jacobian {}mismatch for output {} with respect to input {},\nnumerical:{}\nanalytical:{}\n"
CHECK_NOT_ZERO = "Numerical gradient for function expected to be zero"
CHECK_NOT_MULTIPLIED = "backward not multiplied by grad_output"
CHECK_FORWARD_DTYPE = "Forward AD gradient has dtype mismatch."
_CHECK_HELP = (
    "If you are adding a new operator, please file an issue and then use one of the\n"
    "workarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck{}\nIf the test\n"
    "- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck\n  with `{}` as a keyword argument.\n"
    "- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test\n  to have `{}`{}\n"
    "- is a Module test (e.g., in common_nn.py), then modify the corresponding\n  module_test entry to have `{}`"
)
CHECK_NONDETERMINISTIC = (
    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different "
    "values, although analytical gradient matches numerical gradient.The tolerance for nondeterminism was {}.\n\n"
    "NOTE: If your op relies on non-deterministic operations i.e., it is listed here:\n"
    "https://pytorch.org/docs/stable/generated/minigrad.use_deterministic_algorithms.html\n"
    "this failure might be expected.\n\n"
    + _CHECK_HELP.format(".", "nondet_tol=<tol>", "gradcheck_nondet_tol=<tol>", ".", "gradcheck_nondet_tol=<tol>")
    + "\n"
)
CHECK_UNDEFINED_NEW = (
    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break "
    "existing callers of this function. If this is true for you, you can call this function with "
    '"check_undefined_grad=False" to disable the feature'
)
CHECK_UNDEFINED_HANDLE = (
    "Expected backward function to handle undefined output grads. Please look at "
    '"Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
)
CHECK_UNDEFINED_ZERO = (
    "Expected all input grads to be undefined or zero when all output grads are undefined or zero. Please look at "
    '"Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
)
CHECK_UNDEFINED_FORWARD = (
    "Mismatch in tangent values for output with index: {} when input: {} has an undefined tangent value.  Got: {} but "
    "expected: {}"
)
CHECK_BATCHED = (
    "For output {} and input {}:\n\ngradcheck or gradgradcheck failed while testing batched gradient computation.\n\n"
    "Got:\n{}\n\nExpected:\n{}"
)
CHECK_FAST = (
    "\nThe above quantities relating the numerical and analytical jacobians are computed \n"
    "in fast mode. See: https://github.com/pytorch/pytorch/issues/53876 for more background \n"
    "about fast mode. Below, we recompute numerical and analytical jacobians in slow mode:\n\n"
    "Numerical:\n {}\nAnalytical:\n{}\n\nThe max per-element difference (slow mode) is: {}.\n"
)
CHECK_FAST_OK = (
    "Fast gradcheck failed but element-wise differences are small. This means that the\n"
    "test might've passed in slow_mode!\n\n"
    + _CHECK_HELP.format(":\n", "fast_mode=False", "gradcheck_fast_mode=False", "", "gradcheck_fast_mode=False")
)

# -- testing ---------------------------------------------------------------------------------------------------------
CLOSE_KEYS = (
    "The keys of the mappings do not match:\nMissing keys in the actual mapping: {}\n"
    "Additional keys in the actual mapping: {}"
)
CLOSE_TYPES = "No comparison pair was able to handle inputs of type {} and {}."
CLOSE_TOLERANCES = "Both 'rtol' and 'atol' must be either specified or omitted, but got no {}."
MAKE_INTEGERS = "`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={}"
MAKE_NAN = "`low` and `high` cannot be NaN, but got low={!r} and high={!r}"
MAKE_EMPTY = "`low` must be less than `high`, but got {} >= {}"
MAKE_RANGE = "The value interval specified by `low` and `high` is [{}, {}), but {} only supports [{}, {})"


class _LinAlgError(RuntimeError):
    """A matrix that is singular; ``minigrad.linalg.LinAlgError`` to the user."""


class MinigradNote(str):
    """A note of ours, so that a display can tell it from somebody else's."""


class MoreNote(MinigradNote):
    """The note that says where a message is explained."""


def note(error: BaseException, *notes: str | None) -> BaseException:
    """The error with notes below its message; empty ones are dropped. The last one says where to read more."""
    for text in notes:
        if text:
            error.add_note(MinigradNote(text))
    if name := name_of(str(error)):
        error.add_note(MoreNote(f'More: from minigrad.course import explain; explain("{name}")'))
    return error


def pattern_of(wording: str) -> re.Pattern[str]:
    """What finds a message in a text, whatever stands at its {}."""
    pieces = re.split(r"(\{\{|\}\}|\{[^{}]*\})", wording.strip())
    braces = {"{{": r"\{", "}}": r"\}"}
    return re.compile("".join(braces.get(p) or (".*?" if p.startswith("{") else re.escape(p)) for p in pieces), re.DOTALL)


@functools.cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Name and pattern of every message, the longest first: where several fit, it says most."""
    messages = {name: text for name, text in globals().items() if name.lstrip("_").isupper() and isinstance(text, str)}
    return [(name, pattern_of(text)) for name, text in sorted(messages.items(), key=lambda item: -len(item[1]))]


def name_of(text: str) -> str | None:
    """What the message that a text begins with, or else holds, is called here."""
    begins = (name for name, pattern in _patterns() if pattern.match(text))
    holds = (name for name, pattern in _patterns() if pattern.search(text))
    return next(begins, None) or next(holds, None)
