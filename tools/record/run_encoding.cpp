#include "tools/record/third_party_run.hpp"
#include "traces/errors/contracts.hpp"

#include <cstring>

namespace keyswap::conformance {

namespace {

/// Writes numbers in native format, and texts preceded by their length.
class RunWriter {
  public:
    void add(std::uint64_t number) {
        text_.append(reinterpret_cast<char const*>(&number), sizeof(number));
    }
    void add(std::string_view text) {
        add(std::uint64_t{text.size()});
        text_ += text;
    }
    [[nodiscard]] std::string text() const { return text_; }

  private:
    std::string text_;
};

class RunReader {
  public:
    explicit RunReader(std::string_view text) : rest_(text) {}

    std::uint64_t number() {
        std::uint64_t number = 0;
        std::memcpy(&number, take(sizeof(number)).data(), sizeof(number));
        return number;
    }
    std::string text() { return std::string(take(number())); }
    [[nodiscard]] bool at_end() const { return rest_.empty(); }

  private:
    std::string_view take(std::size_t size) {
        KEYSWAP_EXPECTS(size <= rest_.size());
        std::string_view const taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }

    std::string_view rest_;
};

} // namespace

std::string encoded(Expected<ThirdPartyRun> const& run) {
    RunWriter writer;
    writer.add(std::uint64_t{run.has_value()});
    if (!run) {
        writer.add(run.error().subject);
        writer.add(run.error().problem);
        writer.add(run.error().remedy);
        return writer.text();
    }
    writer.add(run->seed);
    writer.add(static_cast<std::uint64_t>(run->end.end));
    writer.add(run->end.detail);
    writer.add(run->end.output_tail);
    writer.add(std::uint64_t{run->end.left_running});
    writer.add(static_cast<std::uint64_t>(run->end.duration.count()));
    writer.add(std::uint64_t{run->sentences.size()});
    for (std::string const& sentence : run->sentences) {
        writer.add(sentence);
    }
    writer.add(std::uint64_t{run->verdicts.size()});
    for (VerdictRecord const& verdict : run->verdicts) {
        writer.add(verdict.property);
        writer.add(std::uint64_t{verdict.holds});
        writer.add(verdict.detail);
    }
    writer.add(run->input.string());
    writer.add(run->output.string());
    writer.add(run->number);
    writer.add(run->places.count);
    writer.add(std::uint64_t{run->places.first.size()});
    for (WrongPlace const& place : run->places.first) {
        writer.add(place.index);
        writer.add(place.found);
        writer.add(place.expected);
    }
    writer.add(std::uint64_t{run->places.columns.size()});
    for (PlaceColumn const& column : run->places.columns) {
        writer.add(std::uint64_t{column.lowest});
        writer.add(std::uint64_t{column.highest});
        writer.add(std::uint64_t{column.wrong});
    }
    return writer.text();
}

Expected<ThirdPartyRun> decoded_run(std::string_view text) {
    RunReader reader(text);
    if (reader.number() == 0) {
        InputError error;
        error.subject = reader.text();
        error.problem = reader.text();
        error.remedy = reader.text();
        return tl::unexpected(error);
    }
    ThirdPartyRun run;
    run.seed = reader.number();
    run.end.end = static_cast<ChildEnd>(reader.number());
    run.end.detail = reader.text();
    run.end.output_tail = reader.text();
    run.end.left_running = reader.number();
    run.end.duration = std::chrono::nanoseconds(reader.number());
    run.sentences.resize(reader.number());
    for (std::string& sentence : run.sentences) {
        sentence = reader.text();
    }
    run.verdicts.resize(reader.number());
    for (VerdictRecord& verdict : run.verdicts) {
        verdict.property = reader.text();
        verdict.holds = reader.number() != 0;
        verdict.detail = reader.text();
    }
    run.input = reader.text();
    run.output = reader.text();
    run.number = reader.number();
    run.places.count = reader.number();
    run.places.first.resize(reader.number());
    for (WrongPlace& place : run.places.first) {
        place.index = reader.number();
        place.found = reader.text();
        place.expected = reader.text();
    }
    run.places.columns.resize(reader.number());
    for (PlaceColumn& column : run.places.columns) {
        column.lowest = static_cast<std::uint32_t>(reader.number());
        column.highest = static_cast<std::uint32_t>(reader.number());
        column.wrong = reader.number() != 0;
    }
    KEYSWAP_EXPECTS(reader.at_end());
    return run;
}

} // namespace keyswap::conformance
