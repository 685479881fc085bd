#pragma once
// The command line, parsed and checked. Nothing is read from the machine here.
#include <chrono>

#include "checks/expect/expectations.h"

namespace envdoctor {

// A command line or an input that is invalid: exit status 2. `what()` says what to do next.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Output {
  std::string format{};  // empty: by the file's extension
  std::string path{};
};

enum class FailOn { error, warning, never };
enum class ColorWhen { automatic, always, never };

// Options of `run` and `pid` only.
struct RunOptions {
  std::string device{};  // cpu, gpu, gpu:N, gpu:UUID; empty: unchanged
  std::string tf32{};    // on, off; empty: unchanged
  bool deterministic = false;
  bool memory_growth = false;
  bool require_gpu = false;
  bool print_env = false;
  bool quiet = false;
  double seconds = 2;             // pid: how long to watch
  bool until_input_ends = false;  // pid: no longer than standard input is open
  double watch = 0;               // run: seconds between two lines; 0: none
};

// Options of 'verify'.
struct VerifyWishes {
  std::vector<std::string> kernels{}, devices{}, precisions{};
  std::optional<std::int64_t> size{}, seed{};
  std::int64_t repeat = 3;
  std::optional<std::string> framework{};  // run the frameworks' own operations; empty: of all installed ones
};

// Options of 'agree'.
struct AgreeWishes {
  std::string input{}, against{};  // defaults: generated from the seed; cpu where there is a GPU, else fp64
  std::int64_t seed = 1, memory_mib = 16'384;
  bool gradients = false, allow_code = false;
};

struct Options {
  std::string command = "check";
  std::vector<std::string> arguments{};  // snapshots, a section, an id: positional arguments
  std::vector<std::string> logs{};
  std::string format{};  // of standard output; empty: text, or nothing where -o is given
  std::vector<Output> outputs{};
  std::vector<std::string> only{};
  std::vector<std::string> skip{};
  std::vector<std::string> expected{};   // --expect, as typed
  Expectations expectations{};           // the parsed form
  std::string operation{};               // compare --op
  std::int64_t depth = 0;                // compare --depth; 0: not given
  std::optional<double> rtol{}, atol{};  // compare; none: not given
  bool learn = false;                    // expect --learn
  FailOn fail_on = FailOn::error;
  ColorWhen color = ColorWhen::automatic;
  std::int64_t timeout_s = 120;
  bool timeout_given = false;
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::now() + std::chrono::seconds(timeout_s);
  std::string knowledge{};
  std::string python{};                // --python
  std::string host_folder{};           // capture --host-folder
  std::optional<std::string> serve{};  // diagnose --serve: [ADDRESS:]PORT; port 0: any that is free
  RunOptions run{};
  VerifyWishes verify{};
  AgreeWishes agree{};
  bool quick = false;
  bool here = false;  // script: judge for this host only
  bool verbose = false;
  bool redact = true;
};

// What is left of --timeout, the limit of the whole run; zero: nothing is left.
std::chrono::milliseconds time_left(const Options& options);

// Checks that the folders of output files exist, and reads files of expectations.
void read_named_files(Options& options);

// Parses a command line. For --help and --version `printed` is set to the text, to be printed with exit status 0.
Options parse_options(int argc, const char* const* argv, std::string& printed);

}  // namespace envdoctor
