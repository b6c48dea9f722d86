"""Run asynchronous tests on a loop."""

from __future__ import annotations

from tests.web.conftest import pytest_pyfunc_call as pytest_pyfunc_call
