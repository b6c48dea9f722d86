"""A Raspberry Pi's model, boot configuration, power, heat, network and storage."""
