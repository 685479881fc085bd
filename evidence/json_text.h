#pragma once
// One text out of a foreign JSON file: a Jupyter kernel's, Keras's, conda's.
#include <string>
#include <string_view>

#include "evidence/fields.h"

namespace envdoctor {

// The text at a JSON pointer ("/argv/0"). Absent: nothing stands there. Failed: no JSON, or no text there.
Text json_text(std::string_view json, const std::string& pointer);

}  // namespace envdoctor
