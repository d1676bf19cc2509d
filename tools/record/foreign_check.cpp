#include "tools/record/foreign_check.hpp"

#include "model/keys/key_order.hpp"
#include "tools/record/held_signals.hpp"
#include "tools/record/output_verdicts.hpp"
#include "tools/record/private_folder.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

namespace keyswap::conformance {

namespace {

namespace fs = std::filesystem;

/// Where the files of all runs lie.
struct RunFiles {
    PrivateFolder folder;
    fs::path work;   ///< in the folder: what a command reads and writes, new for each run
    PlainName plain; ///< of `work`
    std::array<fs::path, 2> removed_with_keyswap;

    [[nodiscard]] ChildLimits limits(ForeignRuns const& runs) const {
        return {runs.timeout, removed_with_keyswap};
    }
};

Expected<RunFiles> make_files(ForeignRuns const& runs) {
    auto folder = PrivateFolder::make(runs.folder);
    if (!folder) {
        return tl::unexpected(folder.error());
    }
    fs::path const work = folder->path() / "work";
    auto plain = PlainName::of(work);
    if (!plain) {
        return tl::unexpected(plain.error());
    }
    std::array const removed{folder->path(), plain->link_folder()};
    return RunFiles{std::move(*folder), work, std::move(*plain), removed};
}

/// The verdict of one run, and what is known of it.
struct RunResult {
    ChildOutcome end;
    std::vector<VerdictRecord> verdicts;
    std::vector<std::byte> output; ///< of a library; a command's is in its file

    [[nodiscard]] bool holds() const {
        return end.end == ChildEnd::returned &&
               std::ranges::all_of(verdicts, [](VerdictRecord const& v) { return v.holds; });
    }
    [[nodiscard]] std::string kind() const {
        if (end.end != ChildEnd::returned) {
            return std::string(to_string(end.end));
        }
        std::string text;
        for (VerdictRecord const& verdict : verdicts) {
            if (!verdict.holds) {
                text += (text.empty() ? "not " : ", not ") + verdict.property;
            }
        }
        return text;
    }
};

/// Keys of one run as they are given to the sort. Nothing here starts a thread, since a child that
/// is forked from a process with threads may not sort with threads of its own.
std::vector<std::byte> make_keys(model::KeyGenerator const& generator) {
    KeyType const type = generator.request().key_type;
    std::vector<std::byte> bytes(generator.key_count() * key_size_bytes(type));
    model::with_key_type(type, [&]<class Key>(Key) {
        std::vector<model::ImageOf<Key>> images(generator.key_count());
        generator.images(0, std::span(images));
        for (std::size_t i = 0; i < images.size(); ++i) {
            Key const key = model::key_of<Key>(images[i]);
            std::memcpy(bytes.data() + i * sizeof(Key), &key, sizeof(Key));
        }
    });
    return bytes;
}

OrderRules rules_of(ForeignRuns const& runs) {
    return {runs.direction, runs.zero_order, runs.stability};
}

std::vector<std::uint64_t> values_of(ForeignMemory const& memory) {
    std::vector<std::uint64_t> values(memory.value_bytes == 0 ? 0 : memory.key_count);
    for (std::uint64_t i = 0; i < values.size(); ++i) {
        std::memcpy(&values[i],
                    memory.values.bytes().data() + i * memory.value_bytes,
                    memory.value_bytes); // little-endian: the low bytes
    }
    return values;
}

Expected<RunResult> run_library_once(ForeignRuns const& runs,
                                     std::vector<std::byte> const& keys,
                                     RunFiles const& files) {
    std::uint64_t const value_bytes = value_size_bytes(runs.value_type);
    std::uint64_t const key_count = runs.keys.key_count;
    auto key_memory = GuardedMemory::allocate(keys.size());
    auto value_memory = GuardedMemory::allocate(key_count * value_bytes);
    if (!key_memory || !value_memory) {
        return tl::unexpected(!key_memory ? key_memory.error() : value_memory.error());
    }
    ForeignMemory const memory{std::move(*key_memory),
                               std::move(*value_memory),
                               runs.keys.key_type,
                               key_count,
                               value_bytes};
    std::ranges::copy(keys, memory.keys.bytes().begin());
    for (std::uint64_t i = 0; i < key_count && value_bytes > 0; ++i) {
        std::memcpy(memory.values.bytes().data() + i * value_bytes, &i, value_bytes);
    }
    auto const end = run_library(runs.library, runs.function, memory, files.limits(runs));
    if (!end) {
        return tl::unexpected(end.error());
    }
    RunResult result{*end, {}, {}};
    result.output.assign(memory.keys.bytes().begin(), memory.keys.bytes().end());
    if (end->end == ChildEnd::returned) {
        result.verdicts = output_verdicts(
            runs.keys.key_type, keys, result.output, values_of(memory), rules_of(runs));
    }
    return result;
}

/// The command with its files. Names are looked for in the command alone, never in a name.
std::string with_files(std::string const& command, fs::path const& folder) {
    std::string text;
    for (std::size_t at = 0; at < command.size();) {
        bool replaced = false;
        for (auto const& [word, file] :
             {std::pair<std::string_view, char const*>{"{input}", "input.raw"},
              {"{output}", "output.raw"}}) {
            if (!replaced && std::string_view(command).substr(at).starts_with(word)) {
                text += (folder / file).string();
                at += word.size();
                replaced = true;
            }
        }
        if (!replaced) {
            text += command[at++];
        }
    }
    return text;
}

/// Verdicts on the file that a command was to write.
std::vector<VerdictRecord>
file_verdicts(ForeignRuns const& runs, std::vector<std::byte> const& keys, fs::path const& file) {
    auto const size = regular_file_size(file);
    if (!size) {
        return {{"output", false, "{output} " + size.error().problem}};
    }
    if (*size % key_size_bytes(runs.keys.key_type) != 0) {
        return {{"output", false, "its " + std::to_string(*size) + " bytes are no whole keys"}};
    }
    if (*size != keys.size()) {
        return {{"permutation",
                 false,
                 std::to_string(*size) + " bytes came out, and " + std::to_string(keys.size()) +
                     " went in"}};
    }
    auto const output = read_regular_file(file, *size);
    if (!output) {
        return {{"output", false, "{output} " + output.error().problem}};
    }
    return output_verdicts(runs.keys.key_type, keys, *output, {}, rules_of(runs));
}

Expected<RunResult> run_command_once(ForeignRuns const& runs,
                                     std::vector<std::byte> const& keys,
                                     RunFiles const& files) {
    remove_folder(files.work);
    std::error_code error;
    fs::create_directories(files.work, error);
    if (error) {
        return tl::unexpected(InputError{
            files.work.string(), "cannot be made: " + error.message(), "name another --folder"});
    }
    if (auto const written = write_new_file(files.work / "input.raw", keys); !written) {
        return tl::unexpected(written.error());
    }
    auto const end = run_command(with_files(runs.command, files.plain.path()), files.limits(runs));
    if (!end) {
        return tl::unexpected(end.error());
    }
    RunResult result{*end, {}, {}};
    if (end->end == ChildEnd::returned) {
        result.verdicts = file_verdicts(runs, keys, files.work / "output.raw");
    }
    return result;
}

model::OutputCheckOptions check_options(ForeignRuns const& runs) {
    model::OutputCheckOptions options;
    options.input = {model::KeyFileFormat::raw, runs.keys.key_type};
    options.output = options.input;
    options.direction = runs.direction;
    options.zero_order = runs.zero_order;
    return options;
}

/// Keeps the keys and the output under the seed's name, and says what is wrong with the output.
ForeignFailure failure_of(ForeignRuns const& runs,
                          std::uint64_t seed,
                          std::vector<std::byte> const& keys,
                          RunResult const& result,
                          RunFiles& files) {
    ForeignFailure failure{seed, result.end, {}, result.verdicts, {}, {}};
    files.folder.keep();
    std::error_code error;
    fs::create_directories(files.folder.path(), error); // a command may have removed it
    std::string const stem = "seed-" + std::to_string(seed);
    fs::path const input = files.folder.path() / (stem + "-input.raw");
    fs::path const output = files.folder.path() / (stem + "-output.raw");
    if (auto const written = write_new_file(input, keys)) {
        failure.input = input;
    } else {
        failure.sentences.push_back("Its keys are not kept: " + written.error().message() + ".");
    }
    if (!runs.library.empty()) {
        if (write_new_file(output, result.output)) {
            failure.output = output;
        }
    } else if (regular_file_size(files.work / "output.raw")) {
        fs::rename(files.work / "output.raw", output, error);
        failure.output = error ? fs::path() : output;
    }
    bool const has_files = !failure.input.empty() && !failure.output.empty();
    bool const is_read = has_files && fs::file_size(failure.output) <= 2 * keys.size();
    if (is_read && result.end.end == ChildEnd::returned) {
        auto const check = model::check_output(input, output, check_options(runs));
        if (check && !check->holds()) {
            failure.sentences = model::sentences(*check);
        }
    }
    for (VerdictRecord const& verdict : result.verdicts) {
        bool const told = verdict.property == "sorted" || verdict.property == "permutation";
        if (!verdict.holds && !(told && !failure.sentences.empty())) {
            std::string const what = verdict.property == "output" ? "No " : "Not ";
            failure.sentences.push_back(what + verdict.property + ": " + verdict.detail + ".");
        }
    }
    return failure;
}

/// Why nothing can be run.
InputError not_started(ForeignRuns const& runs, ChildOutcome const& end) {
    bool const is_command = runs.library.empty();
    std::string words = end.last_words;
    while (!words.empty() && words.back() == '\n') {
        words.pop_back();
    }
    return {is_command ? runs.command : runs.library.string(),
            end.detail + (words.empty() ? "" : ": " + words),
            is_command ? "see whether its first word is a program that can be found"
                       : "it needs int " + runs.function + "(void* keys, uint64_t n, ...)"};
}

/// Makes a run's keys, runs the sort on them and adds what came of it to the report.
/// \param kinds of failures, counted
Expected<void> run_once(ForeignRuns const& runs,
                        RunFiles& files,
                        ForeignReport& report,
                        std::map<std::string, std::uint64_t>& kinds) {
    model::KeyRequest request = runs.keys;
    request.seed += report.run_count;
    auto const generator = model::KeyGenerator::make(request);
    if (!generator) {
        return tl::unexpected(generator.error());
    }
    auto const keys = make_keys(*generator);
    auto const result = runs.library.empty() ? run_command_once(runs, keys, files)
                                             : run_library_once(runs, keys, files);
    if (!result) {
        return tl::unexpected(result.error());
    }
    if (result->end.end == ChildEnd::interrupted) {
        report.interrupted = true;
        return {};
    }
    // Later it is a failure like others: what earlier runs showed is not thrown away.
    if (result->end.end == ChildEnd::not_started && report.run_count == 0) {
        return tl::unexpected(not_started(runs, result->end));
    }
    report.left_running += result->end.left_running;
    report.run_count += 1;
    if (!result->holds()) {
        ++report.failure_count;
        ++kinds[result->kind()];
        if (!report.first) {
            report.first = failure_of(runs, request.seed, keys, *result, files);
            files.removed_with_keyswap.front() = files.work;
        }
    }
    return {};
}

} // namespace

Expected<ForeignReport> run_foreign_sort(ForeignRuns const& runs) {
    auto files = make_files(runs);
    if (!files) {
        return tl::unexpected(files.error());
    }
    ForeignReport report;
    std::map<std::string, std::uint64_t> kinds;
    while (report.run_count < runs.run_count && !report.interrupted) {
        if (auto const done = run_once(runs, *files, report, kinds); !done) {
            return tl::unexpected(done.error());
        }
        report.interrupted = report.interrupted || HeldSignals::waiting();
    }
    remove_folder(files->work);
    report.rate_95 = failure_rate_interval(report.failure_count, report.run_count, 0.95);
    report.kinds.assign(kinds.begin(), kinds.end());
    return report;
}

} // namespace keyswap::conformance
