"""A Slurm cluster: jobs out, outcomes back."""
