"""A button pod's wire and the host's end of its conversation."""
