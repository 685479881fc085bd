#pragma once
#include <string>

#include "evidence/snapshot.h"
#include "evidence/software.h"
#include "host/host.h"
#include "host/process/subprocess.h"

namespace envdoctor {

// The notebook kernel that this process was started from, found among its ancestors. Absent: none.
Reading<PythonPlace> notebook_above(const Host& host);

// A Python by its executable: where it lies, and which frameworks it has.
PythonPlace place_of(const Host& host, const std::string& name, const std::string& executable);

// "tensorflow 2.15.1" for each framework whose package lies in the environment at this prefix.
std::vector<std::string> frameworks_at(const Host& host, const std::string& prefix);

// What a training script says about devices, as log events: script-import, script-call, script-set-variable,
// script-placed-call and script-handler in the order in which they would run, then script-read; or script-unreadable
// alone. Its syntax tree is read by `python` (a path, or a name on PATH) in a child; nothing of the script is run.
// `shown` is the file's name in the events. Failed: Python could not be asked. It takes `most` at most, and never more
// than 30 s.
List<Symptom> read_script(const std::string& content, const std::string& shown, const std::string& python,
                           Milliseconds most);

}  // namespace envdoctor
