#pragma once
#include <string_view>

namespace envdoctor {

// Whether a name of a user or a host tells of somebody: it isn't one that many machines share.
bool tells_something(std::string_view name);

}  // namespace envdoctor
