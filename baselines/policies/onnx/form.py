"""The form of a policy as an ONNX file: what its exporters write and its sandbox demands.

Inputs are the environment's observations by their names, each (N, *shape) of its space's type with any number of rows
N; ``state_in_*``, float32, what the policy keeps of a row, zeros where an episode begins; ``noise``, float32 (N, K),
uniform in [0, 1), of which it draws. Outputs are ``action``, (N, *shape) of the action space's type, and a
``state_out_*`` for every ``state_in_*``. Its metadata tell what it is and under which options it plays; the file's
SHA-256 stands for it.

Only the standard library is imported here: the sandbox's child reads this, too.
"""

ACTION, NOISE, STATE_IN, STATE_OUT = "action", "noise", "state_in_", "state_out_"
#: The name of observations that are no dictionary, and what joins the names of nested ones.
OBSERVATION, NESTED = "observation", "/"

#: Keys of the metadata: a method's name, an environment's id, a number, and a JSON object.
METHOD, ENVIRONMENT, TRAINING_STEPS, OPTIONS = "method", "environment", "training_steps", "environment_options"

#: Versions of ONNX's operators that are read; the exporter writes ``OPSET``.
OPSETS, OPSET = range(17, 24), 20

MAX_FILE_BYTES = 64 * 2**20
MAX_NOISE = 4_096
MAX_METADATA_BYTES = 16 * 1024
