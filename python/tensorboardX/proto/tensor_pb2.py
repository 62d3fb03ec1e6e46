"""Messages of tensorboardX/proto/tensor.proto."""

from compression_board._protos import module_contents

globals().update(module_contents("tensor"))
