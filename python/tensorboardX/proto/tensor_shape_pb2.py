"""Messages of tensorboardX/proto/tensor_shape.proto."""

from compression_board._protos import module_contents

globals().update(module_contents("tensor_shape"))
