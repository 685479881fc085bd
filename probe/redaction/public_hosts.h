#pragma once
#include <string_view>

namespace envdoctor {

// Public hosts that reports mention. What has no letter is a number, which nobody is named by.
bool is_public(std::string_view host);
// Those where every user has a folder.
bool is_shared(std::string_view host);
// Those where every path belongs to a person or a team.
bool is_of_experiments(std::string_view host);

}  // namespace envdoctor
