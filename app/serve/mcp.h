#pragma once
// The Model Context Protocol, limited to what read-only tools need: JSON-RPC 2.0, one message per line.
#include <string>
#include <string_view>

#include "app/options/options.h"

namespace envdoctor {

inline constexpr std::size_t most_mcp_bytes = std::size_t{16} << 20;  // of one message

// The response to one message, without its line end; empty: a notification. Every other line gets one, valid or not.
std::string mcp_answer(std::string_view line, const Options& options);

// The answer to a line that was longer than most_mcp_bytes.
std::string mcp_too_long();

}  // namespace envdoctor
