"""The child process that talks to an MQTT broker, for a hall and for Home Assistant."""
