"""Button pods: the wire format and the host's end of the link."""
