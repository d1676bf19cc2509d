#include "tools/record/third_party_run.hpp"

#include "model/check/output_check.hpp"
#include "tools/record/case_keys.hpp"
#include "tools/record/output_verdicts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cstring>
#include <sys/stat.h>
#include <utility>

namespace keyswap::conformance {

namespace {

namespace fs = std::filesystem;

/// A run with a library's output; a command's output is in its file.
struct CheckedRun {
    ThirdPartyRun run;
    std::vector<std::byte> output;
};

std::vector<std::uint64_t> values_of(ThirdPartyMemory const& memory) {
    std::vector<std::uint64_t> values(memory.value_bytes == 0 ? 0 : memory.key_count);
    for (std::uint64_t i = 0; i < values.size(); ++i) {
        std::memcpy(&values[i],
                    memory.values.bytes().data() + i * memory.value_bytes,
                    memory.value_bytes); // little-endian: copies to the low bytes
    }
    return values;
}

Expected<CheckedRun> run_library_once(ThirdPartySort const& subject,
                                      std::vector<std::byte> const& keys,
                                      RunFiles const& files) {
    std::uint64_t const value_bytes = value_size_bytes(subject.value_type);
    std::uint64_t const key_count = subject.keys.key_count;
    KEYSWAP_TRY(auto key_memory, GuardedMemory::allocate(keys.size()));
    KEYSWAP_TRY(auto value_memory, GuardedMemory::allocate(key_count * value_bytes));
    ThirdPartyMemory const memory{std::move(key_memory),
                                  std::move(value_memory),
                                  subject.keys.key_type,
                                  key_count,
                                  value_bytes};
    std::ranges::copy(keys, memory.keys.bytes().begin());
    for (std::uint64_t i = 0; i < key_count && value_bytes > 0; ++i) {
        std::memcpy(memory.values.bytes().data() + i * value_bytes, &i, value_bytes);
    }
    KEYSWAP_TRY(
        auto const end,
        run_library(subject.library, subject.function, memory, subject.timeout, files.removed));
    CheckedRun result{{subject.keys.seed, end, {}, {}, {}, {}}, {}};
    result.output.assign(memory.keys.bytes().begin(), memory.keys.bytes().end());
    if (end.end == ChildEnd::returned) {
        result.run.verdicts =
            output_verdicts(shape_of(subject), keys, result.output, values_of(memory));
    }
    return result;
}

/// Replaces {input} and {output} in the command; replaced names are not scanned again.
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

/// Verdicts on the output file of a command.
std::vector<VerdictRecord> file_verdicts(ThirdPartySort const& subject,
                                         std::vector<std::byte> const& keys,
                                         fs::path const& file) {
    auto const size = regular_file_size(file);
    if (!size) {
        return {{"output", false, "{output} " + size.error().problem}};
    }
    if (*size % key_size_bytes(subject.keys.key_type) != 0) {
        return {{"output",
                 false,
                 "its " + std::to_string(*size) + " bytes are not a whole number of keys"}};
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
    return output_verdicts(shape_of(subject), keys, *output, {});
}

/// Modification time of a file; 0 if it does not exist.
std::chrono::nanoseconds time_of_change(fs::path const& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) {
        return std::chrono::nanoseconds(0);
    }
    return std::chrono::seconds(status.st_mtim.tv_sec) +
           std::chrono::nanoseconds(status.st_mtim.tv_nsec);
}

Expected<CheckedRun> run_command_once(ThirdPartySort const& subject,
                                      std::vector<std::byte> const& keys,
                                      RunFiles const& files) {
    remove_folder(files.work);
    std::error_code error;
    fs::create_directories(files.work, error);
    if (error) {
        return input_error(
            files.work.string(), "cannot be made: " + error.message(), "name another folder");
    }
    KEYSWAP_RETURN_IF_ERROR(write_new_file(files.work / "input.raw", keys));
    KEYSWAP_TRY(auto const end,
                run_command(with_files(subject.command, files.plain.path()),
                            subject.timeout,
                            files.removed));
    CheckedRun result{{subject.keys.seed, end, {}, {}, {}, {}}, {}};
    fs::path const output = files.work / "output.raw";
    if (end.end == ChildEnd::returned && end.left_running > 0 &&
        time_of_change(output) > end.ended_at) {
        result.run.end.end = ChildEnd::timed_out;
        result.run.end.detail = "the output was still being written after the command had returned";
    } else if (end.end == ChildEnd::returned) {
        result.run.verdicts = file_verdicts(subject, keys, output);
    }
    return result;
}

model::OutputCheckOptions check_options(ThirdPartySort const& subject) {
    model::OutputCheckOptions options;
    options.input = {model::KeyFileFormat::raw, subject.keys.key_type};
    options.output = options.input;
    options.direction = subject.direction;
    options.zero_order = subject.zero_order;
    return options;
}

std::string stem_of(ThirdPartySort const& subject, ThirdPartyRun const& failure) {
    return !subject.kept_stem.empty()                 ? subject.kept_stem
           : subject.keys_of_runs == KeysOfRuns::same ? "run-" + std::to_string(failure.number + 1)
                                                      : "seed-" + std::to_string(failure.seed);
}

/// Saves keys and output under the run's name, and describes the errors of the output.
void keep_failure(ThirdPartySort const& subject,
                  std::vector<std::byte> const& keys,
                  CheckedRun& checked,
                  RunFiles const& files) {
    ThirdPartyRun& failure = checked.run;
    std::error_code error;
    fs::create_directories(files.folder, error); // the command may have removed it
    std::string const stem = stem_of(subject, failure);
    fs::path const input = files.folder / (stem + "-input.raw");
    fs::path const output = files.folder / (stem + "-output.raw");
    if (auto const written = write_new_file(input, keys)) {
        failure.input = input;
    } else {
        failure.sentences.push_back("Its keys could not be saved: " + written.error().message() +
                                    ".");
    }
    if (!subject.library.empty()) {
        if (write_new_file(output, checked.output)) {
            failure.output = output;
        }
    } else if (regular_file_size(files.work / "output.raw")) {
        fs::rename(files.work / "output.raw", output, error);
        failure.output = error ? fs::path() : output;
    }
    bool const has_files = !failure.input.empty() && !failure.output.empty();
    bool const is_read = has_files && fs::file_size(failure.output) <= 2 * keys.size();
    if (is_read && failure.end.end == ChildEnd::returned) {
        auto const check = model::check_output(input, output, check_options(subject));
        if (check && !check->holds()) {
            failure.sentences = model::sentences(*check);
        }
        if (auto const sorted = read_regular_file(output, fs::file_size(output))) {
            failure.places = wrong_places(shape_of(subject), keys, *sorted);
        }
    }
    for (VerdictRecord const& verdict : failure.verdicts) {
        bool const described = verdict.property == "sorted" || verdict.property == "permutation";
        if (!verdict.holds && !(described && !failure.sentences.empty())) {
            std::string const what = verdict.property == "output" ? "No " : "Not ";
            failure.sentences.push_back(what + verdict.property + ": " + verdict.detail + ".");
        }
    }
}

} // namespace

SortShape shape_of(ThirdPartySort const& subject) {
    return {subject.keys.key_type,
            subject.direction,
            subject.value_type,
            subject.stability,
            subject.zero_order};
}

std::uint64_t seed_of(ThirdPartySort const& subject, std::uint64_t number) {
    return subject.keys.seed + (subject.keys_of_runs == KeysOfRuns::same ? 0 : number);
}

bool ThirdPartyRun::holds() const {
    return end.end == ChildEnd::returned && std::ranges::all_of(verdicts, &VerdictRecord::holds);
}

std::string ThirdPartyRun::kind() const {
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

Expected<RunFiles> RunFiles::make(fs::path const& folder, std::optional<unsigned> process) {
    fs::path const work = folder / (process ? "work-" + std::to_string(*process) : "work");
    KEYSWAP_TRY(auto plain, UnquotedPath::of(work));
    RemovedWithKeyswap const removed{{process ? work : folder, plain.link_folder()},
                                     process ? folder : fs::path()};
    return RunFiles{folder, work, std::move(plain), removed, true};
}

Expected<ThirdPartyRun>
run_once(ThirdPartySort const& subject, std::uint64_t number, RunFiles& files) {
    ThirdPartySort seeded = subject;
    seeded.keys.seed = seed_of(subject, number);
    KEYSWAP_TRY(auto const keys,
                subject.given_keys ? Expected<std::vector<std::byte>>(*subject.given_keys)
                                   : case_keys(seeded.keys));
    KEYSWAP_TRY(auto checked,
                seeded.library.empty() ? run_command_once(seeded, keys, files)
                                       : run_library_once(seeded, keys, files));
    checked.run.number = number;
    ChildEnd const end = checked.run.end.end;
    if (files.keeps_failures && !checked.run.holds() && end != ChildEnd::interrupted &&
        end != ChildEnd::not_started) {
        keep_failure(seeded, keys, checked, files);
        files.keeps_failures = false;
        files.removed.whole.front() = files.work;
    }
    return std::move(checked.run);
}

} // namespace keyswap::conformance
