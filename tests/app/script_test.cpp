// `envdoctor script` on real files, with the Python of this host.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>

#include "tests/support/process.h"

namespace envdoctor::script_test {
namespace {

// The findings' ids with their lines, as the report's JSON has them: "script.tf1-api train.py:2".
std::string found_in(const std::string& content, int status) {
  const std::string path = write_file_here("train.py", content);
  const Ran ran = run_envdoctor("script --format json " + path, "PATH=/usr/bin:/bin VIRTUAL_ENV= ");
  EXPECT_EQ(ran.status, status) << ran.err << ran.out.substr(0, 2000);
  std::string found;
  for (auto at = ran.out.find("\"subject\": \"script:"); at != ran.out.npos;
       at = ran.out.find("\"subject\": \"script:", at + 1)) {
    const auto id = ran.out.rfind("\"id\": \"", at) + 7;
    const auto end = ran.out.find('"', at + 12);
    const std::string subject = ran.out.substr(at + 12, end - at - 12);
    found += ran.out.substr(id, ran.out.find('"', id) - id) + subject.substr(subject.rfind(':')) + " ";
  }
  return found;
}

TEST(Script, PassesWhatIsSound) {
  EXPECT_EQ(found_in("import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '-1'\nimport tensorflow as tf\n"
                     "tf.config.set_visible_devices([], 'GPU')\nx = tf.constant(1)\n",
                     0),
            "");
}

TEST(Script, FollowsNamesAndFunctions) {
  EXPECT_EQ(found_in("from tensorflow import constant as c\nimport os as o\n"
                     "def later():\n  o.environ['CUDA_VISIBLE_DEVICES'] = '-1'\n"
                     "if __name__ == '__main__':\n  c(1)\n  later()\n",
                     0),
            "script.variable-too-late:4 ");
}

TEST(Script, RunsNothing) {
  const std::string mark = test_folder() + "/ran";
  found_in("open(" + ("'" + mark + "'") + ", 'w')\n", 0);
  EXPECT_FALSE(std::ifstream(mark).good());
}

TEST(Script, NamesTheLineThatIsNoPython) {
  EXPECT_EQ(found_in("x = 1\nfor\n", 1), "script.unreadable:2 ");
  // Python 3.12 and newer take it.
  const std::string nested = found_in("d = {}\nprint(f'{d['a']}')\n", 0);
  EXPECT_TRUE(nested.empty() || nested == "script.unreadable:2 ") << nested;
}

// The other lines of a script are read, and reported at their own lines.
TEST(Script, ReadsTheRestOfWhatIsNoPython) {
  const std::string wrong = "torch.cuda.synchronise()\n";
  for (const char* before :
       {"import torch\nprint 'a', 1\n", "import torch\nprint 'a %d' % \\\n 010L\n",
        "import torch\ndef g():\n  raise ValueError, 'a'\n", "import torch\nx = `1`\n",
        "import torch\nexec 'y = 1' in d\n", "import torch\nx = 1 +\n",
        "import torch\nfor i in range(3)\n  x = i\n  y = i\n", "import torch\ndef f(a, b:\n  return a\n",
        "import torch\nwith a:\nwith b:\n  x = 1\n", "import torch\ntry:\n  x = 1\nexcept ValueError, e:\n  print e\n",
        "import torch\nif 1 <> 2:\n\tx = 1\n        y = 2\n", "import torch\nx = 1\n    y = 2\n",
        "import torch\nx = '\xff'\n"}) {
    const std::string content = before + wrong;
    const std::string line = std::to_string(std::count(content.begin(), content.end(), '\n'));
    const std::string found = found_in(content, 1);
    EXPECT_NE(found.find("script.unreadable:"), found.npos) << content << found;
    EXPECT_NE(found.find("script.wrong-name:" + line + " "), found.npos) << content << found;
  }
  const Ran ran =
      run_envdoctor("script " + write_file_here("train.py", "x = 1 +\ny = 2\nfor\n"), "PATH=/usr/bin:/bin ");
  EXPECT_NE(ran.out.find("At line 1: invalid syntax; line 3: invalid syntax."), ran.out.npos) << ran.out;
}

// What is no Python from end to end is judged no further.
TEST(Script, ReadsNothingOfProse) {
  std::string prose;
  for (int line = 0; line < 20; ++line) prose += "this is a text of words\n";
  EXPECT_TRUE(found_in(prose + "import torch\ntorch.cuda.synchronise()\n", 1).starts_with("script.unreadable:"));
  EXPECT_EQ(found_in(prose + "import torch\ntorch.cuda.synchronise()\n", 1).find("wrong-name"), std::string::npos);
}

TEST(Script, TakesHostileFiles) {
  const auto unreadable = [](const std::string& content) {
    const Ran ran = run_envdoctor("script " + write_file_here("hostile.py", content), "PATH=/usr/bin:/bin ");
    EXPECT_EQ(ran.status, 1) << ran.err;
    EXPECT_NE(ran.out.find("script.unreadable"), std::string::npos) << ran.out.substr(0, 500);
  };
  unreadable(std::string("x = 1\n\0y", 8));
  unreadable("x = '\xff\xfe'\n");
  unreadable(std::string(100'000, '('));
  unreadable("x = " + std::string(5'000, '-') + "1\n" + std::string(50'000, '[') + "\n");
  const Ran missing = run_envdoctor("script /nonexistent.py");
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("/nonexistent.py"), std::string::npos);
}

// A stand-in for the interpreter, which must be ended in time whatever it does.
Ran read_by(const std::string& interpreter) {
  const std::string folder = test_folder() + "/" + std::to_string(std::hash<std::string>()(interpreter));
  std::filesystem::create_directories(folder + "/env/bin");
  std::filesystem::create_directories(folder + "/env/lib/python3.11/site-packages");
  std::ofstream(folder + "/env/pyvenv.cfg") << "home = /usr/bin\nversion = 3.11.2\n";
  const std::string python = folder + "/env/bin/python3";
  std::ofstream(python) << "#!/bin/sh\n" << interpreter << "\n";
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  const std::string script = write_file_here("train.py", "x = 1\n");
  const auto start = std::chrono::steady_clock::now();
  Ran ran = run_envdoctor("script " + script + " --timeout 2 --python " + folder + "/env", "PATH=/usr/bin:/bin ");
  const auto spent = std::chrono::steady_clock::now() - start;
  EXPECT_LT(spent, std::chrono::seconds(20)) << interpreter;
  return ran;
}

TEST(Script, EndsAnInterpreterThatMisbehaves) {
  for (const char* interpreter :
       {"exec >&- 2>&-; trap '' TERM; while :; do sleep 1; done",  // closes what it should answer on, and stays
        "trap '' TERM HUP INT; while :; do :; done",               // spins and takes no hint
        "while :; do echo nonsense; done",                         // writes for ever
        "while :; do echo nonsense >&2; done",
        "(trap '' TERM; exec >&- 2>&-; sleep 25) & kill -9 $$",  // dies with a child that lives on
        "(sleep 25) & exit 0", "exit 7", "kill -SEGV $$"}) {
    const Ran ran = read_by(interpreter);
    EXPECT_TRUE(ran.status == 1 || ran.status == 2) << interpreter << ": " << ran.status << ran.err;
    EXPECT_FALSE(ran.err.empty() && ran.out.empty()) << interpreter;
  }
}

TEST(Script, IsReadByThePythonThatIsNamed) {
  const Ran ran = run_envdoctor("script --python /nonexistent " + write_file_here("train.py", "x = 1\n"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("/nonexistent"), std::string::npos) << ran.err;
}

TEST(Script, TakesLongFiles) {
  std::string content = "import torch\n";
  while (content.size() < 3'000'000) content += "# " + std::string(1000, 'x') + "\nx = 1\n";
  EXPECT_EQ(found_in(content + "torch.backends.cuda.is_built()\n", 0).substr(0, 26), "script.build-is-not-use:59");
}

TEST(Script, SeesTwoKerasWithoutAnImportOfTheSecond) {
  const std::string own = "import keras\nimport tensorflow as tf\n";
  EXPECT_EQ(found_in(own + "m = tf.keras.Sequential([keras.layers.Dense(1)])\n", 0), "script.keras-mixed:1 ");
  EXPECT_EQ(found_in(own + "def step(m):\n  return tf.keras.losses.mse(m, m)\n", 0), "script.keras-mixed:1 ");
  EXPECT_EQ(found_in(own + "m = keras.Sequential([])\nx = tf.nn.relu(m)\n", 0), "");
}

TEST(Script, KnowsWhatStartsTensorFlowsDevices) {
  const std::string late =
      "tf.config.experimental.set_memory_growth(tf.config.list_physical_devices('GPU')[0], True)\n";
  for (const char* start : {"tf.keras.optimizers.Adam(1e-3)", "tf.math.sqrt(2.0)", "d = tf.data.Dataset.range(3)",
                            "with tf.device('/CPU:0'):\n    pass"}) {
    const std::string lines = std::string(start).find('\n') == std::string::npos ? "3" : "4";
    EXPECT_EQ(found_in("import tensorflow as tf\n" + std::string(start) + "\n" + late, 1),
              "script.device-config-too-late:" + lines + " ")
        << start;
  }
  for (const char* none : {"tf.random.set_seed(1)", "m = tf.keras.Input((3,))", "@tf.function\ndef f(x): return x"})
    EXPECT_EQ(found_in("import tensorflow as tf\n" + std::string(none) + "\n" + late, 0), "") << none;
}

TEST(Script, SeesJaxConfiguredTooLate) {
  const std::string use = "import jax\njax.numpy.ones(3)\n";
  EXPECT_EQ(found_in(use + "jax.config.update('jax_platforms', 'cpu')\n", 0), "script.device-config-too-late:3 ");
  EXPECT_EQ(found_in(use + "jax.config.update('jax_debug_nans', True)\n", 0), "");
  EXPECT_EQ(found_in("import jax\njax.config.update('jax_platforms', 'cpu')\njax.numpy.ones(3)\n", 0), "");
}

TEST(Script, SeesModelsUnderAnotherDevice) {
  EXPECT_EQ(found_in("import keras\nimport tensorflow as tf\nm = keras.Sequential([]); m.compile()\n"
                     "with tf.device('/CPU:0'):\n  m.fit(1)\n  n = keras.Sequential([]); n.compile()\n  n.fit(1)\n",
                     0),
            "script.device-around-model:5 ");
}

// A notebook of these code cells, each a JSON text.
std::string notebook(const std::vector<std::string>& cells, const std::string& language = "python") {
  std::string all = R"j({"cell_type": "markdown", "source": ["# A title\n", "tf.Session()"]})j";
  for (const std::string& cell : cells) all += R"(, {"cell_type": "code", "outputs": [], "source": )" + cell + "}";
  return R"({"nbformat": 4, "metadata": {"language_info": {"name": ")" + language + R"("}}, "cells": [)" + all + "]}";
}

Ran read_notebook(const std::string& content, const std::string& name = "train.ipynb") {
  return run_envdoctor("script --format json " + write_file_here(name, content), "PATH=/usr/bin:/bin VIRTUAL_ENV= ");
}

TEST(Notebook, IsReadCellByCell) {
  const Ran ran = read_notebook(notebook(
      {R"j(["%matplotlib inline\n", "!pip install x\n", "import tensorflow as tf\n", "files = !ls\n", "x = (1\n",
                    "  % 2)\n", "tf.constant(x)"])j",
       R"("%%bash\nfor f in *; do echo")", R"(["tf.constant?\n", "%env CUDA_VISIBLE_DEVICES=-1\n"])"}));
  EXPECT_EQ(ran.status, 0) << ran.err << ran.out.substr(0, 2000);
  EXPECT_NE(ran.out.find("\"script.variable-too-late\""), ran.out.npos) << ran.out.substr(0, 2000);
  EXPECT_NE(ran.out.find("train.ipynb:cell 4:2\""), ran.out.npos);
  EXPECT_NE(ran.out.find("\"cell\": 4"), ran.out.npos);
  EXPECT_NE(ran.out.find("after tensorflow.constant (cell 2, line 7)"), ran.out.npos);
}

TEST(Notebook, ReadsTheCellsBesideOneThatIsNoPython) {
  std::string prose;
  for (int line = 0; line < 20; ++line) prose += "this is a text of words\\n";
  for (const std::string& cell : {std::string("x = 1\\nprint x\\n"), std::string("x = (1,\\n"), prose}) {
    const Ran ran = read_notebook(
        notebook({R"("import torch")", "\"" + cell + "\"", R"j(["y = 1\n", "torch.cuda.synchronise()"])j"}));
    EXPECT_EQ(ran.status, 1) << ran.err;
    EXPECT_NE(ran.out.find("At cell 3, line "), ran.out.npos) << ran.out.substr(0, 2000);
    EXPECT_NE(ran.out.find("train.ipynb:cell 4:2\""), ran.out.npos) << ran.out.substr(0, 2000);
  }
}

TEST(Notebook, RunsWhatItsMagicsRun) {
  const Ran ran =
      read_notebook(notebook({R"j(["import tensorflow as tf\n", "%time x = tf.ones(3)\n", "%timeit -n 3 x + x"])j",
                              R"j("tf.config.set_visible_devices([], 'GPU')")j"}));
  EXPECT_NE(ran.out.find("train.ipynb:cell 3:1\""), ran.out.npos) << ran.out.substr(0, 2000);
  EXPECT_NE(ran.out.find("after tensorflow.ones (cell 2, line 2)"), ran.out.npos);
}

TEST(Notebook, StartsNoSecondProgram) {
  const std::string import = R"("from lightning import Trainer")";
  const auto found = [&](const std::string& strategy) {
    const Ran ran = read_notebook(notebook({import, R"j(["Trainer(\n", "    strategy=')j" + strategy + R"j(')"])j"}));
    return ran.out.find("train.ipynb:cell 3:2\"") != ran.out.npos;
  };
  for (const char* raises : {"ddp", "ddp_spawn", "ddp_find_unused_parameters_true", "fsdp", "deepspeed_stage_2"})
    EXPECT_TRUE(found(raises)) << raises;
  for (const char* works : {"ddp_notebook", "ddp_notebook_find_unused_parameters_true", "auto"})
    EXPECT_FALSE(found(works)) << works;
}

TEST(Notebook, GrowsTheMemoryOfAllOrNone) {
  const Ran ran =
      read_notebook(notebook({R"j(["import tensorflow as tf\n", "gpus = tf.config.list_physical_devices('GPU')"])j",
                              R"j("tf.config.experimental.set_memory_growth(gpus[0], True)")j",
                              R"j("s = tf.distribute.MirroredStrategy(['/gpu:0', '/gpu:1'])")j"}));
  EXPECT_NE(ran.out.find("train.ipynb:cell 3:1\""), ran.out.npos) << ran.out.substr(0, 2000);
}

// Both lines that a mistake has to do with are shown.
TEST(Script, ShowsTheSessionThatLacksItsConfiguration) {
  const Ran ran = run_envdoctor(
      "script --format json " +
          write_file_here("train.py",
                          "import tensorflow.compat.v1 as tf\nconfig = tf.ConfigProto()\n"
                          "config.gpu_options.allow_growth = True\nsaver = 1\nwith tf.Session() as s:\n  s.run(1)\n"),
      "PATH=/usr/bin:/bin VIRTUAL_ENV= ");
  EXPECT_NE(ran.out.find("\"line\": 3"), ran.out.npos) << ran.out.substr(0, 2000);
  EXPECT_NE(ran.out.find("\"line\": 5"), ran.out.npos) << ran.out.substr(0, 2000);
}

TEST(Notebook, GivesVariablesTheQuotesAsWell) {
  const Ran ran = read_notebook(notebook({R"j("%env CUDA_VISIBLE_DEVICES=\"0\"")j", R"("import torch")"}));
  EXPECT_NE(ran.out.find("names none, and CUDA"), ran.out.npos) << ran.out.substr(0, 2000);
  const Ran bare = read_notebook(notebook({R"("%env CUDA_VISIBLE_DEVICES=0,1")", R"("import torch")"}));
  EXPECT_EQ(bare.out.find("names none, and CUDA"), bare.out.npos) << bare.out.substr(0, 2000);
}

TEST(Notebook, OfFormat3IsRead) {
  const Ran ran = read_notebook(
      R"j({"nbformat": 3, "metadata": {}, "worksheets": [{"cells": [{"cell_type": "code", "language": "python",
          "input": ["import tensorflow as tf\n", "tf.test.is_built_with_cuda()"]}]}]})j");
  EXPECT_NE(ran.out.find("train.ipynb:cell 1:2\""), ran.out.npos) << ran.out.substr(0, 2000);
}

TEST(Notebook, ThatCannotBeReadIsNeverPassed) {
  const std::pair<std::string, std::string> notebooks[] = {
      {notebook({R"("x = 1\nfor\n")"}), "cell 2, line 2"},
      {notebook({R"("x <- 1")"}, "R"), "the notebook's language is R"},
      {R"({"a": true})", "neither a script nor a notebook"},
      {R"({"cells": [1, 2]})", "not a notebook of a known format"},
      {"[1, 2]", "neither a script nor a notebook"},
      {"x = 1\n", "it is not a notebook"},
      {notebook({R"("x = 1")"}).substr(0, 100), "it is not a notebook"}};
  for (const auto& [content, why] : notebooks) {
    const Ran ran = read_notebook(content);
    EXPECT_EQ(ran.status, 1) << content << ran.err;
    EXPECT_NE(ran.out.find(why), ran.out.npos) << content << "\n" << ran.out.substr(0, 1500);
  }
  EXPECT_EQ(read_notebook(R"({"a": true})", "train.py").status, 1);
}

TEST(Script, ThatWasExportedWithMagicsIsRead) {
  EXPECT_EQ(found_in("%matplotlib inline\nimport tensorflow as tf\n!nvidia-smi\ntf.test.is_built_with_cuda()\n", 0),
            "script.build-is-not-use:4 ");
}

TEST(Script, KnowsWhatAStarImportBrings) {
  EXPECT_EQ(found_in("from tensorflow import *\ntest.is_built_with_cuda()\n", 0), "script.build-is-not-use:2 ");
}

TEST(Script, FollowsFunctionsAtEachCallAndLocalModules) {
  write_file_here("switching.py",
                  "import tensorflow as tf\ndef switch(name):\n  if name == 'gpu':\n"
                  "    tf.config.list_logical_devices()\n  else:\n"
                  "    tf.config.set_visible_devices([], 'GPU')\n");
  EXPECT_EQ(found_in("from switching import switch\nswitch('cpu')\nswitch('gpu')\n", 0), "");
  EXPECT_EQ(found_in("from switching import switch\nswitch('gpu')\nswitch('cpu')\n", 1),
            "script.device-config-too-late:6 ");
}

TEST(Script, TakesEveryKindOfStatement) {
  EXPECT_EQ(found_in("import torch\nmatch torch:\n  case True: pass\n  case None: pass\n  case {'a': 1}: pass\n"
                     "  case [x, *y] if x: pass\n  case str(): pass\nasync def f():\n  async with f() as h:\n"
                     "    async for i in h: yield await i\ntry:\n  pass\nfinally:\n  pass\n"
                     "a: int\nb = c = (lambda *d, e=1, **f: d)(1)\ndel a, b[0]\nx = {**{}, 1: 2}\nprint(*x, sep='')\n"
                     "global_ = [i for j in x if j for i in j] + f'{x!r:>{3}}'\nwhile True:\n  break\nelse:\n  pass\n",
                     0),
            "");
}

TEST(Script, EndsInAScriptThatNeverEnds) {
  std::string nested = "import torch\ndef f0(): pass\n";  // each calls the one before twice
  for (int i = 1; i < 40; ++i)
    nested +=
        "def f" + std::to_string(i) + "():\n  f" + std::to_string(i - 1) + "()\n  f" + std::to_string(i - 1) + "()\n";
  EXPECT_TRUE(found_in(nested + "f39()\ntorch.device('gpu')\n", 1).starts_with("script.wrong-name:"));
  EXPECT_EQ(found_in("def f(): f()\nf()\nimport sys\nsys.exit()\n", 0), "");
}

TEST(ScriptFolder, IsReadWholeEachScriptByItself) {
  const std::string folder = test_folder() + "/project";
  for (const char* below : {"", "/sub", "/.hidden", "/env", "/site-packages"})
    std::filesystem::create_directories(folder + below);
  const auto write = [&](const std::string& name, const std::string& content) {
    std::ofstream(folder + "/" + name) << content;
  };
  const std::string wrong = "import tensorflow as tf\ngpu = 1 if tf.test.is_built_with_cuda() else 0\n";
  write("a.py", "import tensorflow as tf\ntf.constant(1)\n");
  write("b.py", "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '-1'\n");  // a.py's start is not its own
  write("sub/c.ipynb",
        notebook({R"j(["import tensorflow as tf\n", "gpu = 1 if tf.test.is_built_with_cuda() else 0"])j"}));
  write("env/pyvenv.cfg", "home = /usr/bin\n");
  for (const char* elsewhere : {".hidden/d.py", "env/e.py", "site-packages/f.py", "notes.txt"}) write(elsewhere, wrong);
  const Ran ran = run_envdoctor("script " + folder, "PATH=/usr/bin:/bin VIRTUAL_ENV= ");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("cell 2, line 2 tensorflow.test.is_built_with_cuda()"), ran.out.npos) << ran.out;
  for (const char* other : {"a.py", "b.py", "d.py", "e.py", "f.py"}) EXPECT_EQ(ran.out.find(other), ran.out.npos);
  const std::string empty = test_folder() + "/empty";
  std::filesystem::create_directories(empty);
  EXPECT_EQ(run_envdoctor("script " + empty).status, 2);
}

TEST(Script, SaysHowManyMistakesItKnows) {
  const Ran ran = run_envdoctor("script " + write_file_here("train.py", "x = 1\n"), "PATH=/usr/bin:/bin ");
  EXPECT_NE(ran.out.find(" known mistakes found"), ran.out.npos) << ran.out;
}

}  // namespace
}  // namespace envdoctor::script_test
