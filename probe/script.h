#pragma once
#include <string>

#include "evidence/snapshot.h"
#include "evidence/software.h"
#include "host/host.h"
#include "host/process/subprocess.h"

namespace envdoctor {

// The notebook kernel that this process was started from, found among its ancestors. Absent: none.
Reading<PythonPlace> notebook_above(const Host& host);

// A Python by its executable: its place and its frameworks.
PythonPlace place_of(const Host& host, const std::string& name, const std::string& executable);

// "tensorflow 2.15.1" for each framework whose package is in the environment at this prefix.
std::vector<std::string> frameworks_at(const Host& host, const std::string& prefix);

// A training script or a notebook: its text and its file's name.
struct Script {
  std::string content{};
  std::string shown{};
  std::string folder{};  // where the modules that it imports are read from; empty: none
};

// What each script says about devices, as symptoms: {noted, script-import}, script-call, script-set-variable,
// script-placed-call, script-mistake and script-handler in the order in which they would run, then {present, script};
// or {failed, script-reading} alone. In a notebook, `cell` counts all cells from 1 and `line` the lines of that cell.
// The syntax trees are read by `python` (a path, or a name on PATH) in a child; nothing of the scripts is run. Failed:
// Python could not be run. It takes at most `most`, and never more than 30 s; where that is too little to follow the
// modules beside the scripts, as long again without them (detail `modules` of {present, script}). `reader`, a Python
// program of any length, reads the trees.
std::string script_reader();
List<Symptom> read_scripts(const std::vector<Script>& scripts, const std::string& python, Milliseconds most,
                           const std::string& reader = script_reader());

}  // namespace envdoctor
