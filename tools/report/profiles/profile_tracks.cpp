#include "tools/report/profiles/profile_tracks.hpp"

#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace keyswap::tools {

namespace {

/// Maximum number of rows per stream or thread; more are unreadable.
constexpr std::size_t levels_max = 64;

using Place = ProfileTracks::Place;

/// Names of places, with process and context only if a GPU has several of them.
class Labels {
  public:
    void add(Place const& place) {
        processes_[place.gpu].insert(place.process);
        contexts_[place.gpu].insert(place.context);
    }
    [[nodiscard]] std::string of(Place const& place) const {
        std::string text = (place.gpu ? "stream " : "thread ") + std::to_string(place.number);
        if (contexts_.at(place.gpu).size() > 1) {
            text += ", context " + std::to_string(place.context);
        }
        if (processes_.at(place.gpu).size() > 1) {
            text += ", process " + std::to_string(place.process);
        }
        return text;
    }

  private:
    std::map<std::optional<std::uint32_t>, std::set<std::int64_t>> processes_;
    std::map<std::optional<std::uint32_t>, std::set<std::int64_t>> contexts_;
};

/// Assigns each span of a place to the first row that is free at its begin.
struct Levels {
    std::vector<std::vector<ProfileSpan>> rows;
    std::uint64_t left_out = 0;

    explicit Levels(std::vector<ProfileSpan> spans) {
        // Of two spans with equal begin, the longer one contains the other: it comes first.
        std::ranges::stable_sort(spans, {}, [](ProfileSpan const& span) {
            return std::pair{span.begin_ns, -span.end_ns};
        });
        for (ProfileSpan const& span : spans) {
            auto const free = std::ranges::find_if(
                rows, [&span](auto const& row) { return row.back().end_ns <= span.begin_ns; });
            if (free != rows.end()) {
                free->push_back(span);
            } else if (rows.size() < levels_max) {
                rows.push_back({span});
            } else {
                left_out += 1;
            }
        }
    }
};

std::int64_t first_begin(std::map<Place, std::vector<ProfileSpan>> const& places) {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (auto const& [place, spans] : places) {
        for (ProfileSpan const& span : spans) {
            first = std::min(first, span.begin_ns);
        }
    }
    return first;
}

} // namespace

void ProfileTracks::add(Place const& place, std::string const& name, ProfileSpan span) {
    auto const next = static_cast<std::uint32_t>(names_.size());
    span.name = names_.try_emplace({span.kind, name}, next).first->second;
    places_[place].push_back(span);
}

void ProfileTracks::move_to(Profile& profile) {
    std::int64_t const first = first_begin(places_);
    Labels labels;
    std::set<std::uint32_t> gpus;
    std::vector<Place> order;
    for (auto const& [place, spans] : places_) {
        labels.add(place);
        order.push_back(place);
    }
    // Threads come first in the map; in the picture GPUs are above them.
    // clang 14 does not compile std::ranges::stable_partition.
    std::stable_partition(
        order.begin(), order.end(), [](Place const& place) { return place.gpu.has_value(); });
    std::uint64_t left_out = 0;
    for (Place const& place : order) {
        Levels const levels(std::exchange(places_[place], {}));
        left_out += levels.left_out;
        for (std::size_t level = 0; level < levels.rows.size(); ++level) {
            auto const track = static_cast<std::uint32_t>(profile.tracks.size());
            std::string const label = labels.of(place);
            profile.tracks.push_back(
                {place.gpu, level == 0 ? label : label + ", level " + std::to_string(level + 1)});
            for (ProfileSpan span : levels.rows[level]) {
                span.track = track;
                span.begin_ns -= first;
                span.end_ns -= first;
                if (span.route) {
                    gpus.insert({span.route->source, span.route->destination});
                }
                profile.spans.push_back(span);
            }
        }
        if (place.gpu) {
            gpus.insert(*place.gpu);
        }
    }
    if (left_out > 0) {
        profile.notes.push_back("Records that overlap more than " + std::to_string(levels_max) +
                                " others, and are left out: " + grouped_count(left_out) + ".");
    }
    profile.gpus.assign(gpus.begin(), gpus.end());
    profile.names.resize(names_.size());
    for (auto const& [name, index] : names_) {
        profile.names[index] = name.second;
    }
}

} // namespace keyswap::tools
