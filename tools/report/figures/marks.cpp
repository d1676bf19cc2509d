#include "tools/report/figures/marks.hpp"

#include <utility>

namespace keyswap::tools {

Mark area_mark(Look look, double x0, double y0, double x1, double y1, std::string text) {
    return {Mark::Kind::area, std::move(look), x0, y0, x1, y1, std::move(text)};
}

Mark row_bar(Look look, double from, double to, double row, double half) {
    return area_mark(std::move(look), from, row - half, to, row + half);
}

Mark limit_mark(Look look, double x0, double y0, double x1, double y1) {
    return {Mark::Kind::limit, std::move(look), x0, y0, x1, y1};
}

Mark whisker_mark(Look look, double x0, double y0, double x1, double y1) {
    return {Mark::Kind::whisker, std::move(look), x0, y0, x1, y1};
}

Mark point_mark(Look look, double x, double y) {
    return {Mark::Kind::point, std::move(look), x, y};
}

Mark of_rows(Mark mark, std::size_t first, std::size_t count) {
    mark.rows = Rows{first, count};
    return mark;
}

Mark text_mark(double x, double y, std::string text) {
    return {Mark::Kind::text, {}, x, y, 0.0, 0.0, std::move(text)};
}

Mark line_mark(Look look, std::vector<Point> points) {
    return {Mark::Kind::line, std::move(look), 0.0, 0.0, 0.0, 0.0, "", std::move(points)};
}

} // namespace keyswap::tools
