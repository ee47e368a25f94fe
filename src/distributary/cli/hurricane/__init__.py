"""The demonstration: a hurricane makes landfall, and three streams reach three hundred subscribers through a tree."""
