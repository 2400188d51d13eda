"""The service: settings, index, answering, web and command line."""
