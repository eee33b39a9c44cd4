// Package story makes up the past of a plant, for tests, measurements and trials:
// months of people who take LOTs, masks and carriers, shift by shift, fewer on
// weekends and at lunch, who come back, forget, are in each other's way, and are
// sent away by supervisors.
//
//	plant.go     how large, how long, and who and what there is
//	calendar.go  how much is done at an hour, and who is on
//	play.go      what happens, event after event
//	visit.go     one person at one screen, from the first try to the end
//	write.go     into the tables, by COPY
//
// Every change is judged by the rules of the domain, so that nothing that could not
// have happened is in it. The same Plant is the same story, row for row.
package story
