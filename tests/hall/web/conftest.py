"""Run asynchronous tests on a loop."""

from __future__ import annotations

from tests.page.conftest import pytest_pyfunc_call as pytest_pyfunc_call
