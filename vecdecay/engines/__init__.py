"""How it is played: the scalar reference and the kernels that agree with it to the bit."""
