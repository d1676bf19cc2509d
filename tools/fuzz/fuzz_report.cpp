#include "tools/report/profiles/nsight_export.hpp"
#include "tools/report/sections/study_data.hpp"
#include "tools/report/sweep_csv.hpp"
#include "tools/text/bounded_json.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace keyswap;
using namespace keyswap::tools;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

/// Data for a page must be valid JSON.
void check(Expected<nlohmann::ordered_json> const& data) {
    if (!data) {
        require(!data.error().problem.empty());
        return;
    }
    auto const text = data->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    require(nlohmann::json::accept(text));
}

/// Reads a database from a file in memory.
void read_database(std::string const& bytes) {
    int const file = ::memfd_create("fuzz", 0);
    require(file >= 0 &&
            ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    auto const profile = read_nsight_export("/proc/self/fd/" + std::to_string(file));
    require(profile.has_value() || !profile.error().problem.empty());
    ::close(file);
    if (profile) {
        for (ProfileSpan const& span : profile->spans) {
            require(span.track < profile->tracks.size() && span.name < profile->names.size() &&
                    span.begin_ns <= span.end_ns);
        }
        require(profile->matrix().size() == profile->gpus.size() * profile->gpus.size());
    }
}

} // namespace

/// First byte: kind of the rest (SQLite export of Nsight Systems, or JSON or CSV output of 'keyswap
/// whatif').
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    std::string const text(reinterpret_cast<char const*>(data) + 1, size - 1);
    switch (data[0] % 3) {
    case 0:
        read_database(text);
        break;
    case 1: {
        auto const json = parse_bounded_json(text, "fuzz");
        if (json && json->is_object()) {
            check(sweep_data("fuzz", *json));
        }
        break;
    }
    default:
        if (auto const sweep = parse_sweep_csv("fuzz", text)) {
            check(sweep_data("fuzz", *sweep));
        }
        break;
    }
    return 0;
}
