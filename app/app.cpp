#include "probe/probes.h"
