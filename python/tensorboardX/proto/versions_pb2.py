"""Messages of tensorboardX/proto/versions.proto."""

from compression_board._protos import module_contents

globals().update(module_contents("versions"))
