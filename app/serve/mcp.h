#pragma once
// The Model Context Protocol, as far as read-only tools need it: JSON-RPC 2.0, one message a line.
#include <string>
#include <string_view>

#include "app/options/options.h"

namespace envdoctor {

inline constexpr std::size_t most_mcp_bytes = std::size_t{16} << 20;  // of one message

// The answer to one message, without its line end; empty: it asks for none. Whatever the line holds, it is answered.
std::string mcp_answer(std::string_view line, const Options& options);

// The answer to a line that was longer than most_mcp_bytes.
std::string mcp_too_long();

}  // namespace envdoctor
