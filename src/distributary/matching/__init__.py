"""Which subscriptions an item matches: one interface, the reference matcher and every faster one."""
