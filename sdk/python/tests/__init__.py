"""Tests of the script SDK and its shim, on the standard library alone; run by python -m unittest from the folder above."""
