#include <gmock/gmock.h>

#include <filesystem>

#include "probe/probes.h"
#include "probe/python/distributions.h"
#include "probe/python/python_interpreter.h"
#include "tests/support/process.h"

namespace envdoctor::python_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

// A host made of files; paths are the host's own.
class PythonProbe : public testing::Test {
 protected:
  void file(const std::string& path, const std::string& text = "") {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  void link(const std::string& path, const std::string& target) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    fs::create_symlink(target, root_ + path);
  }
  // A virtual environment of Python 3.11 with an interpreter.
  void environment(const std::string& folder) {
    file(folder + "/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.7\n");
    file(folder + "/bin/python3");
    fs::create_directories(root_ + folder + "/lib/python3.11/site-packages");
  }
  // A distribution and the files that it records, each with its size; `written` are those that lie there.
  void distribution(const std::string& site, const std::string& name, const std::vector<std::string>& recorded,
                    const std::string& metadata = "") {
    std::string record;
    for (const std::string& line : recorded) record += line + "\n";
    file(site + "/" + name + ".dist-info/RECORD", record);
    file(site + "/" + name + ".dist-info/METADATA", "Name: x\n" + metadata + "\nRequires-Dist: of-the-description<1\n");
  }
  Snapshot probed(std::map<std::string, std::string> env, const std::string& named = "",
                  std::vector<std::string> families = {}) {
    files_ = open_files(root_);
    const Host host{.files = *files_, .env = std::move(env), .live = false};
    const GatherOptions options{.redact = false, .families = std::move(families), .python = named};
    Session session(host, options);
    probe_python(session);
    return session.finish();
  }
  Host host(std::map<std::string, std::string> env) {
    files_ = open_files(root_);
    return {.files = *files_, .env = std::move(env), .live = false};
  }

  const std::string root_ = test_folder();
  const std::string site_ = "/venv/lib/python3.11/site-packages";
  std::unique_ptr<Files> files_{};
};

TEST_F(PythonProbe, TellsWhatInstallsInto) {
  environment("/venv");
  const auto installer = [&](const std::string& folder) {
    return probed({}, folder).python.get()->installer.value_or("none");
  };
  EXPECT_EQ(installer("/venv"), "pip");  // nothing says otherwise
  file("/usr/lib/python3.11/ensurepip/__init__.py");
  EXPECT_EQ(installer("/venv"), "ensurepip");
  file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.7\nuv = 0.5.1\n");
  EXPECT_EQ(installer("/venv"), "uv");
  distribution(site_, "pip-24.0", {});
  EXPECT_EQ(installer("/venv"), "pip");
  for (const char* conda : {"/opt/conda/envs/a", "/p/.pixi/envs/default"}) {
    file(std::string(conda) + "/conda-meta/python-3.11.7-0.json", "{}");
    file(std::string(conda) + "/bin/python3");
    fs::create_directories(root_ + conda + "/lib/python3.11/site-packages");
  }
  EXPECT_EQ(installer("/opt/conda/envs/a"), "conda");
  EXPECT_EQ(installer("/p/.pixi/envs/default"), "pixi");
  file("/usr/bin/python3.11");
  file("/usr/lib/python3.11/EXTERNALLY-MANAGED");
  EXPECT_EQ(installer("/usr/bin/python3.11"), "none");
}

TEST_F(PythonProbe, TellsAnEnvironmentThatIsActivatedAndNotOnPath) {
  environment("/venv");
  environment("/other");
  const auto activated = [&](const std::string& variable) {
    return probed({{"PATH", "/venv/bin"}, {"VIRTUAL_ENV", variable}}).python.get()->activated;
  };
  ASSERT_TRUE(activated("/other").get());
  EXPECT_EQ(activated("/other").get()->prefix, "/other");
  EXPECT_EQ(activated("/venv").outcome(), Outcome::absent);
  EXPECT_EQ(activated("/gone").outcome(), Outcome::absent);
}

TEST_F(PythonProbe, ReadsAnEnvironmentWithoutRunningIt) {
  file("/venv/pyvenv.cfg", "home = /usr/bin\n");
  for (const char* name :
       {"torch-2.3.0+cu121.dist-info", "numpy-1.26.4.dist-info", "old-0.1-py3.11.egg-info", "torch", "-.dist-info"})
    fs::create_directories(root_ + site_ + "/" + name);
  const Snapshot snapshot = probed({{"VIRTUAL_ENV", "/venv"}});
  const Python* python = snapshot.python.get();
  ASSERT_NE(python, nullptr);
  EXPECT_TRUE(python->kind.is("venv"));
  EXPECT_TRUE(python->version.is("3.11"));
  EXPECT_TRUE(python->found_by.is("VIRTUAL_ENV"));
  const std::map<std::string, std::string> expected = {{"torch", "2.3.0+cu121"}, {"numpy", "1.26.4"}, {"old", "0.1"}};
  EXPECT_EQ(*python->packages.get(), expected);
  ASSERT_NE(snapshot.torch.get(), nullptr);
  EXPECT_TRUE(snapshot.torch.get()->version.is("2.3.0+cu121"));
  EXPECT_EQ(snapshot.torch.get()->cuda_available.outcome(), Outcome::not_probed);
  EXPECT_EQ(snapshot.tensorflow.outcome(), Outcome::not_probed);
}

TEST_F(PythonProbe, SaysThatThereIsNone) { EXPECT_EQ(probed({}).python.outcome(), Outcome::absent); }

TEST_F(PythonProbe, TakesTheOneOnThePathBeforeAnActivatedOne) {
  environment("/venv");
  environment("/other");
  const Snapshot snapshot = probed({{"PATH", "/other/bin"}, {"VIRTUAL_ENV", "/venv"}});
  EXPECT_TRUE(snapshot.python.get()->prefix.is("/other"));
  EXPECT_TRUE(snapshot.python.get()->version.is("3.11.7"));
}

TEST_F(PythonProbe, FollowsPyenvsShimToTheChosenVersion) {
  file("/home/a/.pyenv/shims/python3", "#!/usr/bin/env bash\nexec pyenv exec python3\n");
  for (const char* version : {"3.10.13", "3.11.2", "3.11.7"}) {
    const std::string prefix = std::string("/home/a/.pyenv/versions/") + version;
    file(prefix + "/bin/python3");
    file(prefix + "/lib/python" + std::string(version).substr(0, 4) + "/os.py");
  }
  const std::map<std::string, std::string> env = {{"PATH", "/home/a/.pyenv/shims"}, {"PWD", "/home/a/project/deep"}};
  file("/home/a/.pyenv/version", "3.10.13\n");
  EXPECT_TRUE(probed(env).python.get()->prefix.is("/home/a/.pyenv/versions/3.10.13"));
  EXPECT_TRUE(probed(env).python.get()->kind.is("pyenv"));
  file("/home/a/project/.python-version", "3.11\n");
  EXPECT_TRUE(probed(env).python.get()->prefix.is("/home/a/.pyenv/versions/3.11.7"));
  file("/home/a/project/.python-version", "../../../project\n");  // what lies there must not be started
  file("/home/a/project/bin/python3");
  file("/home/a/project/lib/python3.11/os.py");
  EXPECT_EQ(probed(env).python.outcome(), Outcome::failed);
  file("/home/a/project/.python-version", "3.13.0\n");
  EXPECT_EQ(probed(env).python.outcome(), Outcome::failed);
}

TEST_F(PythonProbe, TakesTheOneThatIsNamed) {
  environment("/srv/env");
  environment("/home/a/miniconda3/envs/tf");
  file("/home/a/.local/share/jupyter/kernels/gpu/kernel.json", R"({"argv": ["/srv/env/bin/python3", "-m"]})");
  const std::map<std::string, std::string> env = {{"HOME", "/home/a"}};
  EXPECT_TRUE(probed(env, "/srv/env").python.get()->prefix.is("/srv/env"));
  EXPECT_TRUE(probed(env, "/srv/env/bin/python3").python.get()->prefix.is("/srv/env"));
  EXPECT_TRUE(probed(env, "tf").python.get()->prefix.is("/home/a/miniconda3/envs/tf"));
  EXPECT_TRUE(probed(env, "gpu").python.get()->prefix.is("/srv/env"));
  EXPECT_EQ(probed(env, "nothing").python.outcome(), Outcome::failed);
}

TEST_F(PythonProbe, TellsTheFoldersInTheOrderOfImport) {
  environment("/venv");
  file("/extra/x");
  file("/added/x");
  file(site_ + "/own.pth", "# a comment\nimport os; os.remove('/')\n/added\n/nowhere\n");
  const Host h = host({{"VIRTUAL_ENV", "/venv"}, {"PYTHONPATH", "/extra:/nowhere"}, {"HOME", "/home/a"}});
  file("/home/a/.local/lib/python3.11/site-packages/x");
  EXPECT_THAT(site_packages(h), ElementsAre("/extra", site_, "/added"));
}

TEST_F(PythonProbe, LetsAnEnvironmentSeeItsBaseOnlyWhereItSaysSo) {
  environment("/venv");
  file("/home/a/.local/lib/python3.11/site-packages/x");
  file("/usr/lib/python3/dist-packages/x");
  file("/venv/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = true\n");
  EXPECT_THAT(site_packages(host({{"VIRTUAL_ENV", "/venv"}, {"HOME", "/home/a"}})),
              ElementsAre("/home/a/.local/lib/python3.11/site-packages", site_, "/usr/lib/python3/dist-packages"));
}

TEST_F(PythonProbe, SeesTwoDistributionsWriteOnePackageAndWhoWon) {
  environment("/venv");
  distribution(site_, "tensorflow-2.15.1", {"tensorflow/__init__.py,sha256=x,3", "tensorflow/core.so,sha256=y,500"});
  distribution(site_, "tensorflow_cpu-2.15.1", {"tensorflow/__init__.py,sha256=x,3", "tensorflow/core.so,sha256=z,4"});
  file(site_ + "/tensorflow/__init__.py", "abc");
  file(site_ + "/tensorflow/core.so", "abcd");
  const Snapshot snapshot = probed({{"VIRTUAL_ENV", "/venv"}});
  const auto& twice = *snapshot.python.get()->written_twice.get();
  ASSERT_EQ(twice.size(), 1U);
  EXPECT_TRUE(twice[0].folder.is("tensorflow"));
  EXPECT_TRUE(twice[0].winner.is("tensorflow-cpu 2.15.1"));
}

TEST_F(PythonProbe, ReadsListsOfFilesForTheFamilyThatJudgesThemOnly) {
  environment("/venv");
  distribution(site_, "torch-2.3.0", {"torch/__init__.py,sha256=x,3"});
  distribution(site_, "nvidia_cublas_cu12-12.1", {"nvidia/cublas/lib/libcublas.so.12,,5"});
  const auto damage = [&](std::vector<std::string> families) {
    return probed({{"VIRTUAL_ENV", "/venv"}}, "", std::move(families)).python.get()->damage;
  };
  ASSERT_TRUE(damage({"python"}).get());
  EXPECT_FALSE(damage({"python"}).get()->empty());
  EXPECT_EQ(damage({"runtime"}).outcome(), Outcome::not_probed);
  const Snapshot other = probed({{"VIRTUAL_ENV", "/venv"}}, "", {"runtime"});
  EXPECT_THAT(*other.python.get()->gpu_packages.get()->at(0).libraries.get(), ElementsAre("libcublas.so.12"));
}

TEST_F(PythonProbe, TakesASharedNamespaceForWhatItIs) {
  environment("/venv");
  distribution(site_, "nvidia_cublas_cu12-12.1",
               {"nvidia/__init__.py,sha256=x,9", "nvidia/cublas/lib/libcublas.so.12,,5"});
  distribution(site_, "nvidia_cudnn_cu12-9.1", {"nvidia/__init__.py,sha256=x,9", "nvidia/cudnn/lib/libcudnn.so.9,,5"});
  file(site_ + "/nvidia/__init__.py", "123456789");
  const Snapshot snapshot = probed({{"VIRTUAL_ENV", "/venv"}});
  EXPECT_TRUE(snapshot.python.get()->written_twice.get()->empty());
  const auto& gpu = *snapshot.python.get()->gpu_packages.get();
  ASSERT_EQ(gpu.size(), 2U);
  EXPECT_THAT(*gpu[1].libraries.get(), ElementsAre("libcudnn.so.9"));
}

TEST_F(PythonProbe, SeesWhatBrokenInstallsLeave) {
  environment("/venv");
  distribution(site_, "jax-0.4.30", {"jax/__init__.py,,1"});
  distribution(site_, "torch-2.3.0", {"torch/__init__.py,,1", "torch/_C.so,,1"});
  distribution(site_, "numpy-1.26.4", {"numpy/__init__.py,,1"});
  distribution(site_, "numpy-2.0.0", {"numpy/__init__.py,,1"});
  file(site_ + "/torch/__init__.py");
  file(site_ + "/numpy/__init__.py");
  file(site_ + "/~ensorflow/x");
  file(site_ + "/keras/src/x.py");
  std::vector<std::string> seen;
  const Snapshot snapshot = probed({{"VIRTUAL_ENV", "/venv"}});
  for (const PackageDamage& one : *snapshot.python.get()->damage.get())
    seen.push_back(*one.package.get() + " " + *one.what.get());
  EXPECT_THAT(seen, ElementsAre("jax files-missing", "numpy recorded-twice", "torch files-missing",
                                "keras metadata-missing", "~ensorflow leftover"));
}

TEST_F(PythonProbe, ReadsWhatAFrameworkAsksOfOthers) {
  environment("/venv");
  distribution(site_, "tensorflow-2.15.1", {"tensorflow/__init__.py,,1"},
               "Requires-Dist: numpy (<2.0.0,>=1.23.5)\nRequires-Dist: keras <2.16,>=2.15.0\n"
               "Requires-Dist: old <1 ; python_version < \"3.9\"\nRequires-Dist: wheel\n"
               "Requires-Dist: nvidia-cudnn-cu12 ==8.9.4.25 ; extra == 'and-cuda'\n");
  file(site_ + "/tensorflow/__init__.py");
  file(site_ + "/numpy-2.0.1.dist-info/METADATA");
  const Snapshot snapshot = probed({{"VIRTUAL_ENV", "/venv"}});
  const auto& needs = *snapshot.python.get()->requirements.get();
  ASSERT_EQ(needs.size(), 2U);
  EXPECT_TRUE(needs[0].name.is("numpy"));
  EXPECT_TRUE(needs[0].range.is("<2.0.0,>=1.23.5"));
  EXPECT_TRUE(needs[0].installed.is("2.0.1"));
  EXPECT_TRUE(needs[1].name.is("keras"));
  EXPECT_EQ(needs[1].installed.outcome(), Outcome::absent);
}

TEST_F(PythonProbe, ReadsWhatFrameworksWereBuiltFor) {
  environment("/venv");
  distribution(site_, "tensorflow-2.21.0", {});
  file(site_ + "/tensorflow-2.21.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_27_x86_64\n");
  file(site_ + "/tensorflow/python/platform/build_info.py",
       "build_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_60', 'compute_90']), "
       "('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', True)])\n");
  distribution(site_, "torch-2.9.1", {});
  file(site_ + "/torch/version.py",
       "__version__ = '2.9.1+cpu'\ncuda: Optional[str] = None\nhip: Optional[str] = None\n");
  distribution(site_, "jaxlib-0.6.0", {});
  distribution(site_, "jax_cuda12_plugin-0.6.0", {});
  const Snapshot s = probed({{"VIRTUAL_ENV", "/venv"}});
  EXPECT_TRUE(s.tensorflow.get()->built_with_cuda.is(true));
  EXPECT_TRUE(s.tensorflow.get()->cuda_version.is("12.5.1"));
  EXPECT_TRUE(s.tensorflow.get()->wheel_tag.is("cp311-cp311-manylinux_2_27_x86_64"));
  EXPECT_THAT(*s.tensorflow.get()->arch_list.get(), ElementsAre("sm_60", "compute_90"));
  EXPECT_TRUE(s.torch.get()->version.is("2.9.1+cpu"));
  EXPECT_EQ(s.torch.get()->cuda_version.outcome(), Outcome::absent);
  EXPECT_EQ(s.jax.get()->plugins.get()->count("jax-cuda12-plugin"), 1U);
}

TEST_F(PythonProbe, ReadsKerasConfigurationAndCondaBuilds) {
  file("/opt/conda/bin/python3.10");
  link("/opt/conda/bin/python3", "python3.10");
  file("/opt/conda/conda-meta/python-3.10.13-h955ad1f_0.json");
  file("/opt/conda/conda-meta/tensorflow-base-2.12.0-gpu_py310h5d1f5b6_0.json");
  distribution("/opt/conda/lib/python3.10/site-packages", "keras-2.12.0", {});
  file("/cfg/keras.json", R"({"backend": "torch", "image_data_format": "channels_first"})");
  const Snapshot s = probed({{"PATH", "/opt/conda/bin"}, {"KERAS_HOME", "/cfg"}});
  EXPECT_TRUE(s.python.get()->kind.is("conda"));
  EXPECT_TRUE(s.python.get()->version.is("3.10.13"));
  EXPECT_EQ(s.python.get()->conda_packages.get()->at("tensorflow-base"), "2.12.0 gpu_py310h5d1f5b6_0");
  EXPECT_TRUE(s.keras.get()->config_backend.is("torch"));
  EXPECT_TRUE(s.keras.get()->image_data_format.is("channels_first"));
}

TEST_F(PythonProbe, FindsTheNotebookKernelAboveIt) {
  environment("/venv");
  environment("/kernel");
  fs::create_directories(root_ + "/kernel/lib/python3.11/site-packages/torch-2.3.0.dist-info");
  file("/proc/self/stat", "42 (envdoctor) S 41 42 42");
  file("/proc/self/cmdline", std::string("envdoctor\0show\0", 15));
  file("/proc/41/stat", "41 (sh) evil) S 40 1 1");
  file("/proc/41/cmdline", std::string("sh\0-c\0", 6));
  file("/proc/40/stat", "40 (python) S 1 1 1");
  file("/proc/40/cmdline", std::string("/kernel/bin/python3\0-m\0ipykernel_launcher\0", 42));
  std::map<std::string, std::string> env = {{"PATH", "/venv/bin"}};
  EXPECT_EQ(probed(env).python.get()->notebook.outcome(), Outcome::absent);
  env["JPY_PARENT_PID"] = "39";
  const Snapshot s = probed(env);
  const PythonPlace* notebook = s.python.get()->notebook.get();
  ASSERT_NE(notebook, nullptr);
  EXPECT_TRUE(notebook->prefix.is("/kernel"));
  EXPECT_THAT(*notebook->frameworks.get(), ElementsAre("torch 2.3.0"));
}

TEST(PythonValue, IsReadFromAssignmentsAndDictionaries) {
  EXPECT_EQ(python_value("cuda: Optional[str] = '12.1'\n", "cuda"), "12.1");
  EXPECT_EQ(python_value("x_cuda = '1'\ncuda = None\n", "cuda"), "None");
  EXPECT_EQ(python_value("{\"is_cuda_build\": False, 'b': [1, 2]}", "is_cuda_build"), "False");
  EXPECT_EQ(python_value("{'b': ['x', 'y']}", "b"), "['x', 'y'");
  EXPECT_EQ(python_value("__all__ = ['cuda', 'hip']\ncuda = '13.2'\n", "cuda"), "13.2");
  EXPECT_EQ(python_value("cuda: Optional[str] = None\r\nhip = None\r\n", "cuda"), "None") << "as on Windows";
  EXPECT_EQ(python_value("nothing", "cuda"), "");
  EXPECT_EQ(python_value("cuda = '12", "cuda"), "12");
}

}  // namespace
}  // namespace envdoctor::python_test
