// Stands for tests that need a GPU.
#include <gmock/gmock.h>

TEST(Gpu, Works) { SUCCEED(); }
