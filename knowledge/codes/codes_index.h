#pragma once
#include <string>

namespace envdoctor::knowledge {

// error_codes.json as sorted lines, with a tab behind each field; the build makes them, so that no start has to read
// 1,500 rows. "API NAME" has its number, its symptom ("missing cuda-device"), the name of the same code in the usual API,
// and "error" if it is an error of a GPU's API; "API #NUMBER" has the name. Of two rows with one name or number the first
// counts: it has the usual name, where a vendor has an alias.
std::string codes_index();

}  // namespace envdoctor::knowledge
