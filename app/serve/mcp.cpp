#include "app/serve/mcp.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "app/commands/gather.h"
#include "app/commands/kernel_runs.h"
#include "app/options/suggestions.h"
#include "app/output/reporting.h"
#include "app/output/topic_pages.h"
#include "app/serve/bounded_answer.h"
#include "app/serve/pasted_text.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

using Json = nlohmann::json;

constexpr std::array versions = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
constexpr int parse_error = -32700, invalid_request = -32600, unknown_method = -32601, invalid_params = -32602;
constexpr int deepest = 32;  // of nested lists and objects

class RpcError : public std::runtime_error {
 public:
  RpcError(int number, const std::string& what) : std::runtime_error(what), code(number) {}
  int code;
};

std::string written(const Json& message) { return message.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string error_message(const Json& id, int code, const std::string& what) {
  return written({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", what}}}});
}

// A tool's arguments, each one checked: unknown ones are reported, not ignored.
class Given {
 public:
  Given(const Json& arguments, const std::vector<std::string>& known) : arguments_(arguments) {
    if (!arguments.is_object()) throw UsageError("arguments must be an object");
    for (const auto& [name, value] : arguments.items()) {
      if (std::ranges::find(known, name) == known.end())
        throw UsageError(fmt::format("no argument '{}'{}; there are: {}", name, did_you_mean(name, known),
                                     fmt::format("{}", fmt::join(known, ", "))));
    }
  }
  [[nodiscard]] std::string text(const char* name, const std::string& otherwise) const {
    if (!arguments_.contains(name)) return otherwise;
    if (!arguments_.at(name).is_string()) throw UsageError(fmt::format("{} must be a text", name));
    return arguments_.at(name).get<std::string>();
  }
  [[nodiscard]] bool flag(const char* name, bool otherwise) const {
    if (!arguments_.contains(name)) return otherwise;
    if (!arguments_.at(name).is_boolean()) throw UsageError(fmt::format("{} must be true or false", name));
    return arguments_.at(name).get<bool>();
  }

 private:
  const Json& arguments_;
};

std::string format_of(const Given& given, const std::vector<std::string>& formats) {
  std::string format = given.text("format", formats.front());
  if (std::ranges::find(formats, format) == formats.end())
    throw UsageError(fmt::format("format '{}': one of {} is needed", format, fmt::join(formats, ", ")));
  return format;
}

const std::vector<std::string> report_formats = {"agent", "text", "json"};

std::string check_tool(const Json& arguments, const Options& common) {
  const Given given(arguments, {"quick", "format"});
  Options options = common;
  options.quick = given.flag("quick", true);
  const std::string format = format_of(given, report_formats);
  return format_named(format)->render(judge(gather_and_compute(options), judge_options(options, false)), {});
}

std::string diagnose_tool(const Json& arguments, const Options& options) {
  const Given given(arguments, {"text", "format"});
  const std::string format = format_of(given, report_formats);
  return format_named(format)->render(diagnose_text(given.text("text", ""), options), {});
}

std::string explain_tool(const Json& arguments, const Options&) {
  const std::string id = Given(arguments, {"id"}).text("id", "");
  const std::string page = explanation_of(id);
  if (page.empty())
    throw UsageError(fmt::format("no diagnosis, family or topic '{}'{}", id, did_you_mean(id, explained_names())));
  return page;
}

std::string visible_tool(const Json& arguments, const Options& common) {
  Options options = common;
  const std::string format = format_of(Given(arguments, {"format"}), {"text", "json"});
  options.quick = true;
  const auto lists = visible_to_programs(gather_here(options));
  return format == "json" ? visible_json(lists) : visible_text(lists);
}

struct Tool {
  const char* name;
  const char* title;
  const char* description;
  Json properties;
  std::vector<std::string> required;
  std::string (*run)(const Json&, const Options&);
};

Json words(const std::vector<std::string>& all, const char* description) {
  return {{"type", "string"}, {"enum", all}, {"default", all.front()}, {"description", description}};
}

const std::vector<Tool>& tools() {
  static const Json report = words(report_formats, "agent: one JSON object of 2 KB; json: all of it, may be 200 KB");
  static const std::vector<Tool> all = {
      {"check",
       "Check this host's GPUs",
       "Finds out whether this host's GPUs will be used; if not, the one cause, the evidence and the fix. Changes "
       "nothing.",
       {{"quick",
         {{"type", "boolean"},
          {"default", true},
          {"description",
           "true: files and driver libraries only, about a second; false: short kernels run on free GPUs and each "
           "framework is started, up to two minutes"}}},
        {"format", report}},
       {},
       check_tool},
      {"diagnose",
       "Diagnose a log or a snapshot",
       "Reads the text of a log, of what nvidia-smi and other tools print, or of a snapshot, and names the cause. "
       "Reads "
       "nothing of this host.",
       {{"text", {{"type", "string"}, {"description", "the log itself, not a file's name; at most 16 MiB"}}},
        {"format", report}},
       {"text"},
       diagnose_tool},
      {"explain",
       "Explain a diagnosis",
       "One diagnosis (driver.too-old), family (driver) or topic (force-cpu) in full: proof, disproof, fix.",
       {{"id", {{"type", "string"}}}},
       {"id"},
       explain_tool},
      {"visible",
       "List visible devices",
       "Per stack and framework: the filters in order, the devices that a program sees here, and why others are "
       "missing.",
       {{"format", words({"text", "json"}, "how the list is written")}},
       {},
       visible_tool},
  };
  return all;
}

Json listed() {
  Json list = Json::array();
  for (const Tool& tool : tools()) {
    list.push_back(
        {{"name", tool.name},
         {"title", tool.title},
         {"description", tool.description},
         {"inputSchema",
          {{"type", "object"},
           {"properties", tool.properties},
           {"required", tool.required},
           {"additionalProperties", false}}},
         {"annotations",
          {{"readOnlyHint", true}, {"destructiveHint", false}, {"idempotentHint", true}, {"openWorldHint", false}}}});
  }
  return {{"tools", list}};
}

Json called(const Json& params, const Options& options) {
  if (!params.contains("name") || !params.at("name").is_string())
    throw RpcError(invalid_params, "a tool's name is missing");
  const auto name = params.at("name").get<std::string>();
  const auto tool = std::ranges::find_if(tools(), [&](const Tool& t) { return t.name == name; });
  if (tool == tools().end()) {
    std::vector<std::string> names = names_in(tools());
    throw RpcError(invalid_params, fmt::format("no tool '{}'{}", name, did_you_mean(name, names)));
  }
  const Json arguments = params.value("arguments", Json::object());
  Options own = options;
  own.until = std::chrono::steady_clock::now() + std::chrono::seconds(own.timeout_s);
  const Limits limits{.time = std::chrono::seconds(own.timeout_s + 4), .memory_mib = 2048};
  const BoundedAnswer answer = bounded_answer(limits, [&] { return tool->run(arguments, own); });
  return {{"content", {{{"type", "text"}, {"text", answer.text}}}},
          {"isError", answer.how != BoundedAnswer::How::answered}};
}

Json greeting(const Json& params) {
  const Json asked = params.value("protocolVersion", Json());
  const bool known = asked.is_string() && std::ranges::find(versions, asked.get<std::string>()) != versions.end();
  return {{"protocolVersion", known ? asked : Json(versions.front())},
          {"capabilities", {{"tools", Json::object()}}},
          {"serverInfo", {{"name", "envdoctor"}, {"version", ENVDOCTOR_VERSION}}},
          {"instructions",
           "Says whether this host's GPUs will be used, and if not, the cause and the fix. Begin with check, or with "
           "diagnose where there is a log. Every tool only reads. Commands in answers are for a person to approve: "
           "they may need root or a reboot."}};
}

Json result_of(const std::string& method, const Json& params, const Options& options) {
  if (method == "initialize") return greeting(params);
  if (method == "ping") return Json::object();
  if (method == "tools/list") return listed();
  if (method == "tools/call") return called(params, options);
  throw RpcError(unknown_method, fmt::format("no method '{}'", method.substr(0, 100)));
}

// A JSON document that is not nested too deeply; otherwise a parse error.
Json parsed(std::string_view line) {
  bool deep = false;
  const auto watch = [&](int depth, Json::parse_event_t, Json&) {
    deep = deep || depth > deepest;
    return !deep;
  };
  Json message = Json::parse(line, watch, false);
  if (message.is_discarded() || deep) throw RpcError(parse_error, "no JSON, or nested too deeply");
  return message;
}

}  // namespace

std::string mcp_too_long() {
  return error_message(nullptr, invalid_request,
                       fmt::format("the message is longer than {} MiB", most_mcp_bytes >> 20));
}

std::string mcp_answer(std::string_view line, const Options& options) {
  Json id;
  try {
    const Json message = parsed(line);
    if (!message.is_object()) throw RpcError(invalid_request, "a message is one JSON object");
    const bool asks = message.contains("id");
    if (asks) {
      const Json& given = message.at("id");
      if (!given.is_string() && !given.is_number_integer())
        throw RpcError(invalid_request, "id must be a text or a whole number");
      id = given;
    }
    if (message.value("jsonrpc", Json()) != "2.0") throw RpcError(invalid_request, "jsonrpc must be \"2.0\"");
    if (!message.contains("method")) {
      if (message.contains("result") || message.contains("error")) return {};  // a response: we sent no request
      throw RpcError(invalid_request, "the method is missing");
    }
    if (!message.at("method").is_string()) throw RpcError(invalid_request, "method must be a text");
    if (!asks) return {};  // a notification: no response
    const Json params = message.value("params", Json::object());
    if (!params.is_object()) throw RpcError(invalid_params, "params must be an object");
    const Json result = result_of(message.at("method").get<std::string>(), params, options);
    return written({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
  } catch (const RpcError& error) {
    return error_message(id, error.code, error.what());
  }
}

}  // namespace envdoctor
