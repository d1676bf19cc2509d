#include "tools/report/figures/figure.hpp"
#include "tools/report/figures/palette.hpp"
#include "tools/text/json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace keyswap::tools {

namespace {

// Times as fractions of the animation.
constexpr double grouped_from = 0.10;
constexpr double grouped_to = 0.16;
constexpr double swap_from = 0.24;
constexpr double swap_to = 0.78;
constexpr double sorted_from = 0.82;
constexpr double sorted_to = 0.90;
constexpr double duration_s = 12.0;

/// Keys sent between two groups of GPUs, with begin and end as fractions of the key swap.
struct Part {
    std::size_t source = 0;
    std::size_t destination = 0;
    double keys = 0.0;
    double begin = 0.0;
    double end = 1.0;
    double from = 0.0; ///< offset at the source, in keys
    double to = 0.0;   ///< offset at the destination
};

struct Motion {
    GpuMatrix matrix;
    std::vector<Part> parts;
    double most = 0.0; ///< largest group, in keys
    bool timed = false;
};

/// First begin and last end of the copies between groups, as fractions of the swap: [source * size
/// + destination].
std::vector<std::pair<double, double>> copy_times(Json const& run, GpuMatrix const& matrix) {
    std::vector<std::pair<double, double>> times(matrix.size * matrix.size, {1e300, 0.0});
    double first = 1e300;
    double last = 0.0;
    for (Json const& copy : run.value("copy_times", Json::array())) {
        auto const source = copy.at(0).get<std::size_t>() / matrix.block;
        auto const destination = copy.at(1).get<std::size_t>() / matrix.block;
        if (std::max(source, destination) >= matrix.size) {
            return {};
        }
        auto& time = times[source * matrix.size + destination];
        time = {std::min(time.first, number(copy, 2)), std::max(time.second, number(copy, 3))};
        first = std::min(first, time.first);
        last = std::max(last, time.second);
    }
    if (last <= first) {
        return {};
    }
    for (auto& [begin, end] : times) {
        begin = std::clamp((begin - first) / (last - first), 0.0, 1.0);
        end = std::clamp((end - first) / (last - first), begin, 1.0);
    }
    return times;
}

Motion motion_of(Json const& run) {
    Motion motion;
    motion.matrix = matrix_of(run, gpus_drawn_max);
    GpuMatrix const& matrix = motion.matrix;
    auto const times = copy_times(run, matrix);
    motion.timed = !times.empty();
    std::vector<double> received(matrix.size, 0.0);
    for (std::size_t source = 0; source < matrix.size; ++source) {
        double sent = 0.0;
        for (std::size_t destination = 0; destination < matrix.size; ++destination) {
            Part part{source, destination, matrix.at(source, destination)};
            if (part.keys <= 0.0) {
                continue;
            }
            // Without recorded times, assumes a round-robin order that begins with the next GPU.
            std::size_t const turn = (destination + matrix.size - source) % matrix.size;
            part.begin = as_double(turn) / as_double(matrix.size);
            part.end = as_double(turn + 1) / as_double(matrix.size);
            if (motion.timed && source != destination) {
                std::tie(part.begin, part.end) = times[source * matrix.size + destination];
            }
            part.from = sent;
            part.to = received[destination];
            sent += part.keys;
            received[destination] += part.keys;
            motion.most = std::max({motion.most, sent, received[destination]});
            motion.parts.push_back(part);
        }
    }
    return motion;
}

/// Keyframes that make a shape visible only within [from, to].
std::vector<Keyframe> seen(double from, double to) {
    constexpr double fade = 0.01;
    std::vector<Keyframe> frames;
    if (from > 0.0) {
        frames.push_back({0.0, {}, 0.0});
        frames.push_back({from, {}, 0.0});
    }
    frames.push_back({from > 0.0 ? from + fade : 0.0, {}, 1.0});
    if (to < 1.0) {
        frames.push_back({to, {}, 1.0});
        frames.push_back({to + fade, {}, 0.0});
    }
    frames.push_back({1.0, {}, to < 1.0 ? 0.0 : 1.0});
    return frames;
}

/// Positions of the two columns of GPU memories.
struct Columns {
    double left = 0.0;
    double right = 0.0;
    double width = 0.0; ///< of each column
    double top = 0.0;
    double row = 0.0;

    [[nodiscard]] double y(std::size_t group) const { return top + row * as_double(group); }
};

void draw_stages(Drawing& drawing, Motion const& motion, double y, double size) {
    std::array<std::pair<std::string, std::pair<double, double>>, 4> const stages{{
        {"1. The input: each GPU holds keys in any order", {0.0, grouped_from}},
        {"2. Grouped by the GPU that they belong to", {grouped_from, swap_from}},
        {motion.timed ? "3. The key swap, in the order and time of the copies"
                      : "3. The key swap; the order of the copies is not recorded",
         {swap_from, swap_to}},
        {"4. Each GPU sorts what it owns", {swap_to, 1.0}},
    }};
    for (auto const& [text, time] : stages) {
        drawing.parts.emplace_back(Letters{{6.0, y},
                                           text,
                                           size,
                                           Anchor::begin,
                                           palette().ink,
                                           true,
                                           false,
                                           seen(time.first, time.second)});
    }
}

void draw_part(Drawing& drawing, Motion const& motion, Part const& part, Columns const& at) {
    double const scale = at.width / motion.most;
    Look const look = look_of(part.destination);
    double const x = at.right + scale * part.to;
    double const y = at.y(part.destination);
    Shape shape = rectangle({x, y}, {x + scale * part.keys, y + 0.8 * at.row}, look.colour);
    shape.hatch = look.pattern;
    if (scale * part.keys > 3.0) {
        shape.stroke = palette().ground;
        shape.width = 0.4;
    }
    Point const away{at.left + scale * part.from - x, at.y(part.source) - y};
    double const begin = std::lerp(swap_from, swap_to, part.begin);
    double const end = std::max(begin + 0.01, std::lerp(swap_from, swap_to, part.end));
    shape.motion = {{0.0, away}, {begin, away}, {end, {}}, {1.0, {}}};
    drawing.parts.emplace_back(std::move(shape));
}

/// Grey covers of keys not yet grouped; ramps on sorted keys.
void draw_states(Drawing& drawing, Motion const& motion, Columns const& at) {
    double const scale = at.width / motion.most;
    for (std::size_t group = 0; group < motion.matrix.size; ++group) {
        double held = 0.0;
        double owned = 0.0;
        for (std::size_t other = 0; other < motion.matrix.size; ++other) {
            held += motion.matrix.at(group, other);
            owned += motion.matrix.at(other, group);
        }
        double const y = at.y(group);
        double const low = y + 0.8 * at.row;
        Shape cover = rectangle({at.left, y}, {at.left + scale * held, low}, palette().line);
        cover.stroke = palette().quiet;
        cover.width = 0.4;
        cover.motion = {
            {0.0, {}, 1.0}, {grouped_from, {}, 1.0}, {grouped_to, {}, 0.0}, {1.0, {}, 0.0}};
        Shape ramp{
            {{at.right, low}, {at.right + scale * owned, y}, {at.right + scale * owned, low}},
            true,
            palette().ink,
            "",
            0.0,
            0.0,
            {}};
        ramp.motion = {
            {0.0, {}, 0.0}, {sorted_from, {}, 0.0}, {sorted_to, {}, 1.0}, {1.0, {}, 1.0}};
        if (held > 0.0) {
            drawing.parts.emplace_back(std::move(cover));
        }
        if (owned > 0.0) {
            drawing.parts.emplace_back(std::move(ramp));
        }
    }
}

Drawing motion_drawing(Motion const& motion, std::string const& title, FigureForm form) {
    Drawing drawing = drawn({}, title, form);
    double const letters = form.size == FigureSize::column ? 7.0 : 8.0;
    double room = 0.0;
    for (std::string const& name : motion.matrix.names) {
        room = std::max(room, text_width(name, letters));
    }
    draw_stages(drawing, motion, drawing.height + letters, letters);
    Columns at;
    at.left = room + 12.0;
    at.width = (drawing.width - at.left - 18.0) / 2.0;
    at.right = at.left + at.width + 12.0;
    at.top = drawing.height + 3.6 * letters;
    at.row = form.size == FigureSize::column ? 12.0 : 16.0;
    for (auto const& [x, text] : {std::pair{at.left, "before"}, std::pair{at.right, "after"}}) {
        drawing.letters({x, at.top - 3.0}, text, letters, Anchor::begin, palette().quiet);
    }
    for (std::size_t group = 0; group < motion.matrix.size; ++group) {
        drawing.letters({at.left - 4.0, at.y(group) + 0.4 * at.row + 0.36 * letters},
                        motion.matrix.names[group],
                        letters,
                        Anchor::end,
                        palette().quiet);
        for (double const x : {at.left, at.right}) {
            drawing.line({x, at.y(group) + 0.8 * at.row},
                         {x + at.width, at.y(group) + 0.8 * at.row},
                         palette().line,
                         0.4);
        }
    }
    for (Part const& part : motion.parts) {
        draw_part(drawing, motion, part, at);
    }
    draw_states(drawing, motion, at);
    drawing.height = at.y(motion.matrix.size) + 4.0;
    drawing.duration_s = duration_s;
    return drawing;
}

} // namespace

Figure animation_figure(Json const& run) {
    std::string const title = "Keys on the move";
    Motion const motion = motion_of(run);
    if (motion.parts.empty() || motion.matrix.size < 2 || run.at("passes").empty()) {
        return empty_figure(title, "No keys go from one GPU to another.");
    }
    Figure figure;
    figure.title = title;
    figure.note = "Colours are the GPUs that own the keys in the end. Keys leave the GPUs at the "
                  "left, arrive at those at the right, and are sorted there.";
    figure.table.columns = {
        "source", "destination", "keys", "begin (share of the swap)", "end (share of the swap)"};
    for (Part const& part : motion.parts) {
        figure.table.rows.push_back({motion.matrix.names[part.source],
                                     motion.matrix.names[part.destination],
                                     part.keys,
                                     part.begin,
                                     part.end});
    }
    figure.draw = [motion, title](FigureForm form) { return motion_drawing(motion, title, form); };
    return figure;
}

} // namespace keyswap::tools
