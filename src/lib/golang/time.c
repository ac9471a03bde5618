/*
 * Instants and the calendar.
 */
#include "golang/golang.h"

#define NANOSECONDS 1000000000

const char *const layout_months[12] = {"January",   "February", "March",    "April",
                                       "May",       "June",     "July",     "August",
                                       "September", "October",  "November", "December"};
const char *const layout_days[7] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                    "Thursday", "Friday", "Saturday"};

struct go_time go_time_add(struct go_time time, int64_t nanoseconds)
{
	time.seconds += nanoseconds / NANOSECONDS;
	nanoseconds = nanoseconds % NANOSECONDS + time.nanoseconds;
	if (nanoseconds >= NANOSECONDS) {
		nanoseconds -= NANOSECONDS;
		time.seconds++;
	}
	if (nanoseconds < 0) {
		nanoseconds += NANOSECONDS;
		time.seconds--;
	}
	time.nanoseconds = (int32_t)nanoseconds;
	return time;
}

/* ---- calendar ---------------------------------------------------------------------------- */

/* Days since 1970 to a date of the proleptic Gregorian calendar. */
static void civil_date(int64_t day_number, struct civil *civil)
{
	int64_t days_from = day_number + 719468; /* from 0000-03-01 */
	int64_t era = (days_from >= 0 ? days_from : days_from - 146096) / 146097;
	int64_t day_of_era = days_from - era * 146097;
	int64_t year_of_era =
	    (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	int64_t day_of_year =
	    day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int64_t month = (5 * day_of_year + 2) / 153;

	civil->day = (int)(day_of_year - (153 * month + 2) / 5) + 1;
	civil->month = (int)(month < 10 ? month + 3 : month - 9);
	civil->year = year_of_era + era * 400 + (civil->month <= 2);
}

/* The way back. */
int64_t go_civil_day_number(int64_t year, int month, int day)
{
	year -= month <= 2;
	int64_t era = (year >= 0 ? year : year - 399) / 400;
	int64_t year_of_era = year - era * 400;
	int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

	return era * 146097 + day_of_era - 719468;
}

#define DAY 86400
/* Go counts from the first of March of the year -292277022400 on, in 64 bits without a sign. */
#define DAYS_BEFORE_1970 (UINT64_C(730692556) * 146097 + 306 + 719162)

struct civil go_civil_of(const struct go_time *time)
{
	struct civil civil = {0};
	uint64_t local =
	    (uint64_t)time->seconds + (uint64_t)(int64_t)time->zone_offset + DAYS_BEFORE_1970 * DAY;
	int64_t day_number = (int64_t)(local / DAY - DAYS_BEFORE_1970);
	uint64_t rest = local % DAY;

	civil_date(day_number, &civil);
	civil.hour = (int)(rest / 3600);
	civil.minute = (int)(rest / 60 % 60);
	civil.second = (int)(rest % 60);
	civil.weekday = (int)(((day_number + 4) % 7 + 7) % 7);
	civil.year_day = (int)(day_number - go_civil_day_number(civil.year, 1, 1)) + 1;
	return civil;
}

bool go_civil_is_leap(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int go_civil_days_in(int month, int64_t year)
{
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return lengths[month - 1] + (month == 2 && go_civil_is_leap(year));
}
