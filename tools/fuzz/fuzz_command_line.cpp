#include "simulator/cost/device_profile.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/fuzz/fuzzing.hpp"
#include "traces/measurements/measurement.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <sys/mman.h>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace keyswap;
using namespace keyswap::fuzzing;
using keyswap::testing::text_of;

using Words = std::vector<std::string>;
using Files = std::map<std::string, std::string>; ///< name -> content

/// Values tried for options and arguments, in addition to those known to the program. Large numbers
/// are limited to rejected or cheap ones.
constexpr std::array values{"0",
                            "1",
                            "2",
                            "7",
                            "16",
                            "100",
                            "1000",
                            "0,1",
                            "0-3",
                            "all",
                            "-1",
                            "nan",
                            "inf",
                            "1e-300",
                            "0.5",
                            "0:1",
                            "1:0",
                            "",
                            "-",
                            "--",
                            "auto",
                            "none",
                            "k.csv",
                            "k.raw",
                            "k.npy",
                            "t.trace",
                            "m.csv",
                            "w.json",
                            "use.csv",
                            "g.gr",
                            "g.mtx",
                            "p.toml",
                            "d.toml",
                            "topo.txt",
                            "n.xml",
                            "s.csv",
                            "l.csv",
                            "empty",
                            "missing",
                            "new.out",
                            "new.csv",
                            "new.npy",
                            "delta",
                            "digit:0:8",
                            "prime",
                            "hash:1",
                            "labels:l.csv",
                            "splitters:s.csv",
                            "rmat:4:4",
                            "grid:8",
                            "power:4:4",
                            "xbus x2",
                            "nvlink",
                            "cluster:dgx-h100:2",
                            "99999999999999999999",
                            "18446744073709551615",
                            "1e300",
                            "bash",
                            "u32"};

/// Commands that start other programs or measure for minutes: only their help is run.
constexpr std::array not_run{"record", "bench", "bench-model", "bench-simulator"};

tools::CommandInfo const& program() {
    static tools::CommandInfo const words = tools::program_words();
    return words;
}

Words words_of(std::string const& text) {
    Words words;
    std::istringstream lines(text);
    for (std::string word; std::getline(lines, word);) {
        words.push_back(word);
    }
    return words;
}

bool has(Words const& words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
}

bool is_value(std::string const& word) {
    return std::ranges::find(values, word) != values.end();
}

/// True if a word may name a file outside the folder, or cause minutes of work.
bool is_too_much(std::string const& word) {
    if (is_value(word)) {
        return false;
    }
    if (word.find('/') != std::string::npos || word.find("..") != std::string::npos ||
        word.find('\0') != std::string::npos) {
        return true;
    }
    for (std::string_view const generated : {"rmat", "grid", "power", "cluster"}) {
        if (word.find(generated) != std::string::npos) {
            return true;
        }
    }
    std::size_t digits = 0;
    for (std::size_t i = 0; i < word.size(); ++i) {
        bool const is_digit = std::isdigit(static_cast<unsigned char>(word[i])) != 0;
        bool const scales = i > 0 && digits > 0 && std::strchr("eEkKmMgGtT_x", word[i]) != nullptr;
        digits = is_digit ? digits + 1 : 0;
        if (digits > 3 || scales) {
            return true;
        }
    }
    return false;
}

/// Files present at the start of every run.
Files const& given_files() {
    static Files const files{
        {"k.csv", "key\n5\n3\n7\n7\n1\n9\n"},
        {"k.raw", std::string("\1\0\0\0\3\0\0\0\2\0\0\0\2\0\0\0", 16)},
        {"k.npy",
         std::string("\x93NUMPY\x01\x00\x76\x00", 10) +
             "{'descr': '<u4', 'fortran_order': False, 'shape': (2,), }" + std::string(60, ' ') +
             '\n' + std::string("\1\0\0\0\2\0\0\0", 8)},
        {"w.json", R"({"platform":"p","rows":[{"total_ms":1}]})"},
        {"use.csv", "link,GB/s\npcie gpu0,3.5\n"},
        {"g.gr", "p sp 3 2\na 1 2 10\na 3 1 4\n"},
        {"g.mtx", "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 10\n3 1 0\n"},
        {"topo.txt", "\tGPU0\tGPU1\tNUMA Affinity\nGPU0\t X \tNV4\t0\nGPU1\tNV4\t X \t0\n"},
        {"n.xml", "<system version=\"1\"><cpu numaid=\"0\"></cpu></system>\n"},
        {"s.csv", "3\n6\n"},
        {"l.csv", "1\n0\n1\n0\n1\n0\n"},
        {"empty", ""}};
    return files;
}

/// Changes the working folder during its lifetime; libFuzzer's own files may have relative names.
class Inside {
  public:
    explicit Inside(std::filesystem::path const& folder)
        : before_(std::filesystem::current_path()) {
        std::filesystem::current_path(folder);
    }
    Inside(Inside const&) = delete;
    Inside& operator=(Inside const&) = delete;
    ~Inside() {
        std::error_code code;
        std::filesystem::current_path(before_, code);
    }

  private:
    std::filesystem::path before_;
};

/// Runs the program in a private folder, which must contain no new files afterwards, and captures
/// its output.
class Program {
  public:
    Program() : output_(::memfd_create("output", 0)) {
        std::filesystem::create_directory(folder_.path() / "work");
        Inside const inside(folder_.path() / "work");
        ::setenv("PATH", "/nowhere", 1);   // hides Graphviz
        ::setenv("COLUMNS", "1000000", 1); // errors in one line
        int const nothing = ::open("/dev/null", O_RDONLY);
        require(output_ >= 0 && ::dup2(output_, STDOUT_FILENO) >= 0 &&
                    ::dup2(nothing, STDIN_FILENO) >= 0,
                "streams can be redirected");
        begin_ = given_files();
        restore({});
        make_more_files();
    }

    void check(Words const& words) {
        Inside const inside(folder_.path() / "work");
        Outcome const outcome = run(words);
        std::string shown;
        for (std::string const& word : words) {
            shown += " '" + word + "'";
        }
        auto const expect = [&](bool holds, std::string const& what) {
            require(holds,
                    what + " of" + shown + " with exit " + std::to_string(outcome.code) + "\n" +
                        outcome.errors);
        };
        expect(outcome.code >= 0 && outcome.code <= 2, "an exit of 0, 1 or 2");
        if (outcome.code == 2) {
            bool const one_line = outcome.errors.starts_with("keyswap: error: ") &&
                                  outcome.errors.find('\n') == outcome.errors.size() - 1;
            expect(one_line && outcome.errors.ends_with(")\n"), "one line of error with a remedy");
            for (std::string_view const raw : raw_messages) {
                expect(outcome.errors.find(raw) == std::string::npos ||
                           shown.find(raw) != std::string::npos,
                       "an error in our words");
            }
        } else {
            expect(outcome.errors.find("keyswap: error") == std::string::npos, "no error");
        }
        bool const asks_for_words =
            has(words, "--help") || has(words, "--version") ||
            std::ranges::any_of(words, [](auto const& word) { return word.starts_with("-h"); });
        if (outcome.code < 2 && has(words, "--json") && !asks_for_words) {
            expect(nlohmann::json::accept(outcome.output), "JSON");
        }
        Files const now = files_now();
        if (outcome.code == 2) {
            expect(now == begin_, "no file written or changed");
        } else if (!has(words, "--force")) {
            expect(std::ranges::includes(now, begin_), "no file changed");
        }
        restore(now);
        auto const entries = std::filesystem::directory_iterator(folder_.path());
        expect(std::distance(begin(entries), end(entries)) == 1, "no file in another folder");
    }

  private:
    struct Outcome {
        int code;
        std::string output;
        std::string errors;
    };

    Outcome run(Words const& words) {
        std::vector<char const*> pointers{"keyswap"};
        for (std::string const& word : words) {
            pointers.push_back(word.c_str());
        }
        require(::ftruncate(output_, 0) == 0 && ::lseek(output_, 0, SEEK_SET) == 0,
                "the output can be emptied");
        std::ostringstream errors;
        auto* const before = std::cerr.rdbuf(errors.rdbuf());
        auto const code =
            static_cast<int>(tools::run(static_cast<int>(pointers.size()), pointers.data()));
        std::cerr.rdbuf(before);
        return {code, text_of("/proc/self/fd/" + std::to_string(output_)), errors.str()};
    }

    /// Adds files created by the program itself, whose formats it knows best.
    void make_more_files() {
        for (Words const& words :
             {Words{"sort", "k.csv", "--type", "u32", "--gpu-count", "2", "--record", "t.trace"},
              Words{"topology", "export", "pcie-4gpu", "--format", "toml", "--output", "p.toml"}}) {
            Outcome const outcome = run(words);
            require(outcome.code == 0, "a file to begin with can be made: " + outcome.errors);
        }
        auto const device = simulator::load_device_profile("a100");
        require(device.has_value(), "a shipped profile can be read");
        std::ofstream("d.toml") << simulator::write_device_profile(*device);
        std::ofstream("m.csv") << measurements_text(std::array{measurement()});
        begin_ = files_now();
    }

    /// A run as in published files.
    static Measurement measurement() {
        Measurement row;
        row.device_name = "NVIDIA A100-SXM4-40GB";
        row.system_gpus = 8;
        row.algorithm = "radix-mgpu-sort";
        row.key_count = 1'000'000'000;
        row.gpus = {0, 1};
        row.key_type = "uint32";
        row.distribution = "uniform";
        row.passes = 1;
        row.phases.assign(2, GpuPhases{60.0, {4.0}, {4.0}, 10.0, 30.0, 60.0});
        row.total_ms = 180.0;
        return row;
    }

    static Files files_now() {
        Files files;
        for (auto const& entry : std::filesystem::recursive_directory_iterator(".")) {
            files[entry.path().lexically_normal().string()] =
                entry.is_regular_file() ? text_of(entry.path()) : "folder";
        }
        return files;
    }

    void restore(Files const& now) {
        if (now == begin_) {
            return;
        }
        for (auto const& [name, text] : now) {
            if (!begin_.contains(name)) {
                std::filesystem::remove_all(name);
            }
        }
        for (auto const& [name, text] : begin_) {
            std::ofstream(name, std::ios::binary) << text;
        }
    }

    MemoryFolder folder_;
    int output_;
    Files begin_;
};

/// A word that may follow `words`: of the command that they begin with, or any value.
std::string drawn_word(Words const& words, std::minstd_rand& random) {
    auto const draw = [&](auto const& list) { return *(list.begin() + random() % list.size()); };
    tools::CommandInfo const* command = &program();
    for (std::string const& word : words) {
        auto const below = std::ranges::find(command->commands, word, &tools::CommandInfo::name);
        if (below == command->commands.end()) {
            break;
        }
        command = &*below;
    }
    if (!command->commands.empty() && random() % 4 != 0) {
        return draw(command->commands).name();
    }
    auto const& options = random() % 8 == 0 ? program().options : command->options;
    if (random() % 2 == 0 && !options.empty()) {
        auto const& option = draw(options);
        return option.names.empty() ? draw(values) : draw(option.names);
    }
    auto const last = std::ranges::find_if(command->options, [&](tools::OptionInfo const& option) {
        return !words.empty() && has(option.names, words.back());
    });
    bool const known = last != command->options.end() && !last->values.empty();
    return known && random() % 4 != 0 ? draw(last->values) : draw(values);
}

} // namespace

/// Inserts and removes words; leaves changes within words to libFuzzer.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t max_size,
                                               unsigned int seed) {
    std::minstd_rand random(seed);
    if (random() % 8 == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    Words words = words_of(fuzzing::text_of(data, size));
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
        auto const at = static_cast<std::ptrdiff_t>(random() % (words.size() + 1));
        Words const before(words.begin(), words.begin() + at);
        if (random() % 4 == 0 && at < std::ssize(words)) {
            words.erase(words.begin() + at);
        } else if (random() % 3 == 0 && at < std::ssize(words)) {
            words[static_cast<std::size_t>(at)] = drawn_word(before, random);
        } else {
            words.insert(words.begin() + at, drawn_word(before, random));
        }
    }
    std::string text;
    for (std::string const& word : words) {
        text += word + '\n';
    }
    size = std::min(text.size(), max_size);
    std::copy_n(text.begin(), size, data);
    return size;
}

/// Each line is a word of a command line, which runs in a private folder.
/// \return -1 for inputs not worth keeping
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    static Program run;
    Words const words = words_of(fuzzing::text_of(data, size));
    constexpr std::size_t words_max = 24;
    bool const fits = has(words, "calibrate") && has(words, "m.csv"); // would take a minute
    bool const runs =
        !words.empty() && !fits && std::ranges::find(not_run, words.front()) == not_run.end();
    if (words.size() > words_max || std::ranges::any_of(words, is_too_much) ||
        (!runs && !has(words, "--help"))) {
        return -1;
    }
    run.check(words);
    return 0;
}
