"""Messages of tensorboardX/proto/attr_value.proto."""

from typing import TYPE_CHECKING, Any

from compression_board._protos import module_contents

globals().update(module_contents("attr_value"))

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
