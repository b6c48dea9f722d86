"""What a Raspberry Pi says of itself: its model, its boot configuration, its power, heat, network and storage."""
