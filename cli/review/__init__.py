"""What a reviewer reads: findings with their places in the stack file, waivers, SARIF."""
