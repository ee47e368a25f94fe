"""Reading and writing subscriptions, records and problems, with the place of each mistake."""
