"""The running device around the pure core: live loop, guards, composition, page, trouble."""
