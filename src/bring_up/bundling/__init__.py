"""Makes the bundle of echo-bring-up: what a machine with a GPU needs, in one file, from a build without one."""
