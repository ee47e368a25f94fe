"""The studies of paper 000, section 7.3: figures 9 to 16, one file each."""
