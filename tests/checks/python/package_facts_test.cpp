// Statements about packages and modules in texts: their diagnosis, and how they combine with metadata.
#include <gtest/gtest.h>

#include "checks/engine/report.h"
#include "checks/python/package_facts.h"
#include "tests/support/log_lines.h"

namespace envdoctor::package_facts_test {

using enum SymptomClass;
namespace {

const std::vector<Message> messages = {
    {{{failed, "python-import"}}, "python.broken-install", likely},
    {{{mismatch, "torch-extension-version"}}, "runtime.extension-mismatch", likely},
    {{{duplicate, "python-package"}}, "python.duplicate-packages", likely},
    {{{noted, "keras-backend"}, {{"backend", "Theano"}}}, "keras.backend-mismatch", possible},
    {{{unsupported, "channels-first-on-cpu"}}, "keras.image-data-format", likely},
};

TEST(PackageMessages, NameTheirCauseAsSurelyAsTheyMay) { expect_causes(messages); }

TEST(PackageMessages, OfKerasMeanNothingWhereADeviceIsUsed) {
  EXPECT_TRUE(ids(log_of({{{noted, "keras-backend"}, {{"backend", "CNTK"}}}, {{used, "gpu"}}})).empty());
  EXPECT_TRUE(ids(log_of({{{unsupported, "channels-first-on-cpu"}}, {{used, "gpu"}}})).empty());
  // Where a GPU is spoken of, its absence may be the cause.
  EXPECT_EQ(ids(log_of({{{unsupported, "channels-first-on-cpu"}}, {{noted, "stated-gpu"}}})),
            (Found{{"keras.image-data-format", Confidence::possible}}));
}

TEST(LogModules, TellAMissingFrameworkFromABrokenOne) {
  EXPECT_EQ(ids(log_of({{{missing, "python-module"}, {{"module", "tensorflow"}}}})),
            (Found{{"python.wrong-environment", possible}}));
  EXPECT_EQ(ids(log_of({{{missing, "python-module"}, {{"module", "tensorflow.python"}}}})),
            (Found{{"python.broken-install", likely}}));
  EXPECT_TRUE(ids(log_of({{{missing, "python-module"}, {{"module", "requests"}}}})).empty());
}

TEST(LogModules, BlameKerasBackendWhereKerasWentToImportIt) {
  const Line no_module = {{missing, "python-module"}, {{"module", "tensorflow"}}};
  EXPECT_EQ(ids(log_of({{{noted, "keras-backend"}, {{"backend", "TensorFlow"}}}, no_module}))["keras.backend-mismatch"],
            likely);
  EXPECT_FALSE(
      ids(log_of({{{noted, "keras-backend"}, {{"backend", "JAX"}}}, no_module})).contains("keras.backend-mismatch"));
}

TEST(LogModules, SeeOneFolderInstalledTwiceInPipsConflicts) {
  const auto conflicts = [](const char* one, const char* other) {
    return ids(log_of({{{mismatch, "package-version"}, {{"package", one}, {"needs", "numpy"}}},
                       {{mismatch, "package-version"}, {{"package", other}, {"needs", "gast"}}}}));
  };
  EXPECT_EQ(conflicts("tensorflow-gpu", "tensorflow"), (Found{{"python.duplicate-packages", likely}}));
  EXPECT_TRUE(conflicts("tensorflow", "tensorflow").empty());
  EXPECT_TRUE(conflicts("tensorflow", "tensorflow-probability").empty());
}

TEST(LogPython, BlamesTheTorchForTheCpuAndNotTheExtensionBesideIt) {
  for (const Kind& event : {Kind{noted, "cpu-build"}, Kind{missing, "gpu-support"}})
    EXPECT_FALSE(ids(log_of({{{mismatch, "torch-extension-version"}}, {event, {{"built", "torch"}}}}))
                     .contains("runtime.extension-mismatch"))
        << event.subject;
  EXPECT_TRUE(ids(log_of({{{mismatch, "torch-extension-version"}}, {{noted, "cpu-build"}, {{"built", "tensorflow"}}}}))
                  .contains("runtime.extension-mismatch"));
}

// pip's line and the metadata say the same of one pair of packages; metadata that is met shows that pip's line is old.
TEST(PipConflicts, AreOneFactWithTheMetadata) {
  Snapshot snapshot = log_of({{{mismatch, "package-version"}, {{"package", "tf-keras"}, {"needs", "tensorflow"}}},
                              {{mismatch, "package-version"}, {{"package", "tensorflow"}, {"needs", "keras"}}}});
  EXPECT_EQ(ids(snapshot), (Found{{"keras.version-mismatch", possible}}));
  snapshot.log.fill().erase(snapshot.log.fill().begin());
  EXPECT_TRUE(ids(snapshot).empty()) << "nothing shows that Keras failed";
  snapshot.log.fill().push_back(symptom_of({mismatch, "keras-layer-class"}));
  EXPECT_EQ(ids(snapshot)["keras.version-mismatch"], possible);

  auto& needs = snapshot.python.fill().requirements.fill();
  needs = {{.by = "tensorflow", .name = "keras", .range = "<2.16", .installed = "3.0.0"}};
  const Answers answers = answers_of("keras.version-mismatch", snapshot);
  ASSERT_EQ(answers.findings.size(), 1U);
  EXPECT_EQ(answers.findings[0].subject, "package:keras");
  EXPECT_EQ(paths_of(answers.findings[0]),
            (std::vector<std::string>{"/python/requirements/0/range", "/python/requirements/0/installed", "log"}));
  needs[0].installed = "2.15.0";
  EXPECT_EQ(state_of("keras.version-mismatch", snapshot), "passed");
}

TEST(KerasVersion, OfAFunctionThatIsGoneIsNoMatterOfVersions) {
  Snapshot snapshot = log_of({{{mismatch, "keras-version"}}});
  snapshot.log.get()->front().text =
      std::string("ImportError: cannot import name 'multi_gpu_model' from 'keras.utils'");
  const Report report = judge(snapshot, {});
  const auto found = std::ranges::find(report.findings, "keras.version-mismatch", &Finding::id);
  ASSERT_NE(found, report.findings.end());
  EXPECT_NE(found->fix.front().text.find("MirroredStrategy"), std::string::npos) << found->fix.front().text;
  EXPECT_EQ(std::ranges::count(report.findings, "keras.version-mismatch", &Finding::id), 1);
}

TEST(PipInstall, GoesByWhatInstallsIntoTheEnvironment) {
  Snapshot snapshot;
  Python& python = snapshot.python.fill();
  python.executable = std::string("/env/bin/python3");
  python.prefix = std::string("/project/.pixi/envs/default");
  const auto with = [&](const char* installer) {
    python.installer = std::string(installer);
    return pip_install(snapshot, "x");
  };
  EXPECT_EQ(with("pip"), "\"/env/bin/python3\" -m pip install x");
  EXPECT_EQ(with("uv"), "uv pip install --python \"/env/bin/python3\" x");
  EXPECT_EQ(with("ensurepip"), "\"/env/bin/python3\" -m ensurepip && \"/env/bin/python3\" -m pip install x");
  EXPECT_EQ(with("conda"),
            "conda install --yes --prefix \"/project/.pixi/envs/default\" pip && "
            "\"/env/bin/python3\" -m pip install x");
  EXPECT_EQ(with("pixi"), "pixi add --manifest-path \"/project\" --pypi x");
  EXPECT_EQ(pip_install(snapshot, "x --index-url y"), "");
  python.installer = absent("its packages are managed by the distribution");
  EXPECT_EQ(pip_install(snapshot, "x"), "");
}

}  // namespace
}  // namespace envdoctor::package_facts_test
