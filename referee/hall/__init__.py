"""A hall of many tables: it receives their results by MQTT, stores them and shows them."""
