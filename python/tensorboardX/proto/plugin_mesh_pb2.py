"""Messages of tensorboardX/proto/plugin_mesh.proto."""

from compression_board._protos import module_contents

globals().update(module_contents("plugin_mesh"))
