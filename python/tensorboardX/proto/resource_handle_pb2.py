"""Messages of tensorboardX/proto/resource_handle.proto."""

from compression_board._protos import module_contents

globals().update(module_contents("resource_handle"))
