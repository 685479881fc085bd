#pragma once
#include "host/descriptor.h"

namespace envdoctor {

struct Pipe {
  Descriptor reading{}, writing{};
};

// Both ends close on exec, and the reading one doesn't block. Empty, with errno set, if there are no more descriptors.
Pipe make_pipe();

}  // namespace envdoctor
