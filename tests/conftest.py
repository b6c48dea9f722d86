"""For every test: no time limits on examples, since machines that run them are shared and noisy.

The suite draws the same examples each time, so that what it says of a change comes from the change. `make explore`
draws new ones, round after round; what it finds is written into a test as an `@example`, or as a test of its own.
"""

from hypothesis import HealthCheck, settings

settings.register_profile("house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", settings.get_profile("house"), derandomize=False, print_blob=True)
settings.load_profile("house")
