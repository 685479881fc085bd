int envdoctor_fake_dependency(void) { return 0; }
